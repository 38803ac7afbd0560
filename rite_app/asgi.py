"""For an ASGI server: `uvicorn rite_app.asgi:application`."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rite_app.settings")

application = get_asgi_application()
