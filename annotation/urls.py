"""Addresses of the human validation. An annotator's pages name nothing but the assignment."""

from django.urls import path

from annotation.views import item, queue

app_name = "annotation"

urlpatterns = [
    path("queue/", queue.queue, name="queue"),
    path("queue/next/", queue.next_item, name="next"),
    path("queue/<slug:public_id>/", item.item, name="item"),
    path("queue/<slug:public_id>/consent/", queue.consent, name="consent"),
    path("queue/<slug:public_id>/guidelines/", item.guidelines, name="guidelines"),
    path("queue/<slug:public_id>/shown/", item.shown, name="shown"),
    path("queue/<slug:public_id>/draft/", item.draft, name="draft"),
    path("queue/<slug:public_id>/submit/", item.submit, name="submit"),
    path("queue/<slug:public_id>/review/", item.review, name="review"),
    path("queue/<slug:public_id>/steps/<slug:number>/observation/", item.observation, name="observation"),
]
