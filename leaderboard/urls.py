"""The root of all addresses."""

from allauth.account import views as account_views
from allauth.account.decorators import secure_admin_login
from django.apps import apps
from django.contrib import admin
from django.urls import include, path
from django.utils.module_loading import module_has_submodule

from leaderboard.operations import health, metrics
from leaderboard.web.account import sign_in

# The same sign-in, with its limits on guessing, for the administrator.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

# Named one by one, not `allauth.urls`: without mail its pages for addresses and for resetting a
# password by mail could only mislead.
account_urls = [
    path("signup/", sign_in.SignUp.as_view(), name="account_signup"),
    path("login/", sign_in.SignIn.as_view(), name="account_login"),
    path("logout/", account_views.logout, name="account_logout"),
    path("inactive/", account_views.account_inactive, name="account_inactive"),
    path("reauthenticate/", sign_in.SignInAgain.as_view(), name="account_reauthenticate"),
    path("password/change/", sign_in.ChangePassword.as_view(), name="account_change_password"),
]

# Pages of the apps: each brings its own `urls`.
pages = [
    path("", include(f"{app.name}.urls"))
    for app in apps.get_app_configs()
    if app.name.startswith("leaderboard.") and module_has_submodule(app.module, "urls")
]

urlpatterns = [
    path("livez", health.livez, name="livez"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics.metrics, name="metrics"),
    path("admin/", admin.site.urls),
    path("accounts/", include(account_urls)),
    path("i18n/", include("django.conf.urls.i18n")),
    *pages,
]

handler400 = "leaderboard.web.errors.bad_request"
handler403 = "leaderboard.web.errors.forbidden"
handler404 = "leaderboard.web.errors.not_found"
handler500 = "leaderboard.web.errors.server_error"
