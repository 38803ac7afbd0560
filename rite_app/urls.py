"""Where each app's addresses are hung."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("benchmark.urls")),
    path("", include("annotation.urls")),
]
