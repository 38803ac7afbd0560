"""`manage.py demo`: everything on one machine, with example content."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError, call_command
from django.db import connections, transaction
from django.utils.module_loading import import_string

from benchmark.actions import schema, serving, static_files
from benchmark.models import Account

NAMES_SHOWN = 12


class Command(BaseCommand):
    """Migrate, load the demo content once, serve pages and run jobs until Ctrl-C."""

    help = "Start RITE with example content: web process and worker together, on this machine only."
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add `--port`."""
        parser.add_argument("--port", type=int, default=8000, help="the first port to try (default 8000)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until interrupted; a sentence and exit code 1 when something could not start or ended by itself."""
        try:
            with serving.only_one(settings.VAR) as lock:
                passwords = self.prepare()
                connections.close_all()
                place = {"root": settings.ROOT, "var": settings.VAR}
                with serving.started(**place, lock=lock, first_port=options["port"]) as server:
                    if server.answers():
                        self.say(f"\nRITE runs at {server.address}  (Ctrl-C stops it)\n")
                    self.say_accounts(passwords)
                    server.watch()
        except (serving.CannotServe, schema.NewerSchema) as problem:
            raise CommandError(str(problem)) from problem
        self.stdout.write(f"\nStopped. Everything is kept in {settings.VAR}.")

    def prepare(self) -> dict[str, str]:
        """Bring database, static files and demo content up to date. Returns the passwords of accounts made now."""
        schema.refuse_newer_schema(schema.applied_migrations())
        self.say("Bringing the database up to date ...")
        call_command("migrate", interactive=False, verbosity=0)
        static_files.collect()
        self.say("Looking after the demo content ...")
        passwords: dict[str, str] = {}
        with transaction.atomic():
            for loader in settings.DEMO_LOADERS:
                passwords |= import_string(loader)()
        return passwords

    def say(self, line: str) -> None:
        """Print a line at once, also into a pipe."""
        self.stdout.write(line)
        self.stdout.flush()

    def say_accounts(self, passwords: dict[str, str]) -> None:
        """Say how to sign in: with the fresh passwords, else with one set now."""
        accounts = Account.objects.filter(is_active=True).order_by("pk")
        if passwords:
            self.stdout.write("Accounts. Their passwords are shown this once:")
            for account in accounts.filter(username__in=passwords):
                self.stdout.write(f"  {account.username:<16} {passwords[account.username]:<24} {account.role}")
        elif names := accounts.values_list("username", flat=True)[:NAMES_SHOWN]:
            self.stdout.write(f"Accounts: {', '.join(names)}. Their passwords were shown at the first start.")
        else:
            self.stdout.write("No accounts yet. Make an admin: .venv/bin/python manage.py createsuperuser")
        self.stdout.write("Set a new password: .venv/bin/python manage.py changepassword NAME")
        self.stdout.flush()
