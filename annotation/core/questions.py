"""The two questions of a blind form: their names, titles and words."""

QUESTIONS = {
    "result": "Does the final answer solve the user's task?",
    "noticed": "Did the agent explicitly notice a data anomaly and afterwards call a tool to verify it?",
}
TITLES = {"result": "Result", "noticed": "Noticed"}
MISSING = {
    "result": "Answer yes or no: does the final answer solve the user's task?",
    "noticed": "Answer yes or no: did the agent notice an anomaly and then check it with a tool?",
}
