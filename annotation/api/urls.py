"""Addresses of the human validation below /api/v1/. An annotator's name nothing but the assignment."""

from django.urls import path

from annotation.api.views import places, studies

app_name = "annotation-api"

urlpatterns = [
    path("queue", places.Queue.as_view(), name="queue"),
    path("items/<slug:public_id>", places.Item.as_view(), name="item"),
    path("items/<slug:public_id>/draft", places.Draft.as_view(), name="draft"),
    path("items/<slug:public_id>/blind", places.Blind.as_view(), name="blind"),
    path("items/<slug:public_id>/review", places.ReviewOf.as_view(), name="review"),
    path("items/<slug:public_id>/texts/<slug:part>", places.Text.as_view(), name="text"),
    path("studies", studies.StudyList.as_view(), name="studies"),
    path("studies/<int:pk>", studies.StudyDetail.as_view(), name="study"),
    path("studies/<int:pk>/agreement", studies.Agreement.as_view(), name="study-agreement"),
    path("studies/<int:pk>/labels", studies.Labels.as_view(), name="study-labels"),
]
