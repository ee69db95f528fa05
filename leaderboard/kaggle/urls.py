"""The addresses of the facade, where it is switched on."""

from django.urls import include, path

from leaderboard.kaggle import views
from leaderboard.kaggle.settings import KAGGLE_FACADE

urlpatterns = [path("api/v1/", include(views))] if KAGGLE_FACADE else []
