"""The addresses of a server with KAGGLE_FACADE=1."""

from django.urls import include, path

from leaderboard import urls
from leaderboard.kaggle import views

urlpatterns = [*urls.urlpatterns, path("api/v1/", include(views))]
handler400, handler403 = urls.handler400, urls.handler403
handler404, handler500 = urls.handler404, urls.handler500
