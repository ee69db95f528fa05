from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("community", "0008_calls_into_the_outbox")]

    operations = [migrations.DeleteModel("Delivery")]
