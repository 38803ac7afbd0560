"""Addresses of the benchmark's pages."""

from django.urls import path

from benchmark.views import accounts, health, home, imports, people, rollouts

app_name = "benchmark"

urlpatterns = [
    path("", home.home, name="home"),
    path("theme/", home.theme, name="theme"),
    path("health", health.health_page, name="health"),
    path("health.json", health.health_probe, name="health-probe"),
    path("accounts/", accounts.account, name="account"),
    path("accounts/login/", accounts.sign_in, name="sign-in"),
    path("accounts/logout/", accounts.sign_out, name="sign-out"),
    path("accounts/password/", accounts.password, name="password"),
    path("accounts/sign-out-everywhere/", accounts.sign_out_everywhere, name="sign-out-everywhere"),
    path("accounts/tokens/", accounts.tokens, name="tokens"),
    path("accounts/tokens/<int:pk>/revoke/", accounts.token_revoke, name="token-revoke"),
    path("reset/<str:secret>/", accounts.reset, name="reset"),
    path("imports/", imports.import_list, name="imports"),
    path("imports/<int:pk>/", imports.import_detail, name="import-detail"),
    path("imports/<int:pk>/go-ahead/", imports.import_go_ahead, name="import-go-ahead"),
    path("imports/<int:pk>/cancel/", imports.import_cancel, name="import-cancel"),
    path("rollouts/", rollouts.rollouts, name="rollouts"),
    path("rollouts/<int:pk>/", rollouts.rollout, name="rollout"),
    path("rollouts/<int:pk>/mechanism/", rollouts.mechanism, name="rollout-mechanism"),
    path("rollouts/<int:pk>/steps/<slug:number>/diagnosis/", rollouts.diagnosis, name="rollout-diagnosis"),
    path("rollouts/<int:pk>/whole/<slug:part>/", rollouts.whole, name="rollout-whole"),
    path("people/", people.people, name="people"),
    path("people/new/", people.person_new, name="person-new"),
    path("people/<int:pk>/", people.person, name="person"),
    path("people/<int:pk>/reset-link/", people.person_reset, name="person-reset"),
    path("people/<int:pk>/sign-out/", people.person_sign_out, name="person-sign-out"),
]
