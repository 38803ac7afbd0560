"""The bundled world: how it is made from its seed (`making`, `tables`), and how tools read it (`reading`)."""
