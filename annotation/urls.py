"""Addresses of the human validation. An annotator's pages name nothing but the assignment."""

from django.urls import path

from annotation.views import agreement, designer, item, joining, overview, people, progress, queue, studies

app_name = "annotation"

urlpatterns = [
    path("overview/", overview.overview, name="overview"),
    path("queue/", queue.queue, name="queue"),
    path("queue/next/", queue.next_item, name="next"),
    path("queue/<slug:public_id>/", item.item, name="item"),
    path("queue/<slug:public_id>/consent/", queue.consent, name="consent"),
    path("queue/<slug:public_id>/guidelines/", item.guidelines, name="guidelines"),
    path("queue/<slug:public_id>/shown/", item.shown, name="shown"),
    path("queue/<slug:public_id>/draft/", item.draft, name="draft"),
    path("queue/<slug:public_id>/submit/", item.submit, name="submit"),
    path("queue/<slug:public_id>/review/", item.review, name="review"),
    path("queue/<slug:public_id>/whole/<slug:part>/", item.whole, name="whole"),
    path("invite/<str:secret>/", joining.invite, name="invite"),
    path("accounts/studies/", joining.own_studies, name="own-studies"),
    path("leave/<int:pk>/", joining.seat_give_up, name="leave"),
    path("people/<int:pk>/erase/", people.person_erase, name="person-erase"),
    path("studies/", studies.study_list, name="studies"),
    path("studies/new/", designer.study_new, name="study-new"),
    path("studies/from-file/", designer.study_from_file, name="study-from-file"),
    path("studies/<int:pk>/", progress.study, name="study"),
    path("studies/<int:pk>/design/", designer.design, name="study-design"),
    path("studies/<int:pk>/start/", designer.study_start, name="study-start"),
    path("studies/<int:pk>/move/<slug:verb>/", studies.study_move, name="study-move"),
    path("studies/<int:pk>/texts/<slug:kind>/", studies.study_text, name="study-text"),
    path("studies/<int:pk>/items/", progress.study_items, name="study-items"),
    path("studies/<int:pk>/items/<slug:public_id>/void/", progress.place_void, name="study-void"),
    path("studies/<int:pk>/items/<slug:public_id>/reassign/", progress.place_reassign, name="study-reassign"),
    path("studies/<int:pk>/deal/", progress.deal_open, name="study-deal"),
    path("studies/<int:pk>/audit/", progress.study_audit, name="study-audit"),
    path("studies/<int:pk>/people/", people.study_people, name="study-people"),
    path("studies/<int:pk>/people/invite/", people.study_invite, name="study-invite"),
    path("studies/<int:pk>/people/add/", people.seat_add, name="study-seat-add"),
    path("studies/<int:pk>/people/<int:number>/revoke/", people.seat_revoke, name="study-seat-revoke"),
    path("studies/<int:pk>/people/<int:number>/leave/", people.seat_leave, name="study-seat-leave"),
    path("studies/<int:pk>/people/<int:number>/erase/", people.seat_erase, name="study-seat-erase"),
    path("studies/<int:pk>/agreement/", agreement.agreement, name="study-agreement"),
    path("studies/<int:pk>/agreement/<slug:format>/", agreement.agreement_file, name="study-agreement-file"),
    path("studies/<int:pk>/files/", studies.study_files, name="study-files"),
    path("studies/<int:pk>/files/<str:file>", studies.study_file, name="study-file"),
]
