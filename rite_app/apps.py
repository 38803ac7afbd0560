"""Django's admin site, with our rule for who may enter."""

from django.contrib.admin.apps import AdminConfig


class RiteAdminConfig(AdminConfig):
    """`admin.site` is ours everywhere."""

    default_site = "rite_app.admin_site.RiteAdminSite"
