"""Where each app's addresses are hung."""

from django.contrib import admin
from django.urls import include, path, re_path

from benchmark.api.views.documents import Nothing

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/v1/", include("benchmark.api.urls")),
    path("api/v1/", include("annotation.api.urls")),
    re_path(r"^api/", Nothing.as_view()),
    path("", include("benchmark.urls")),
    path("", include("annotation.urls")),
]
