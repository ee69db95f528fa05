# Made anew before the first release; from here on migrations are only added.

import django.contrib.auth.models
import django.contrib.auth.validators
import django.db.models.deletion
import django.utils.timezone
import leaderboard.accounts.names
import leaderboard.accounts.skeletons
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='HeldName',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('skeleton_hmac', models.CharField(max_length=64, unique=True, verbose_name='hmac')),
                ('until', models.DateTimeField(verbose_name='Until')),
            ],
            options={
                'verbose_name': 'Held name',
                'verbose_name_plural': 'Held name',
            },
        ),
        migrations.CreateModel(
            name='RateCount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=64, unique=True, verbose_name='sha256')),
                ('number', models.PositiveIntegerField(default=0, verbose_name='Count')),
                ('ends_at', models.DateTimeField(db_index=True, verbose_name='ends at')),
            ],
            options={
                'verbose_name': 'rate limit',
                'verbose_name_plural': 'rate limit',
            },
        ),
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('first_name', models.CharField(blank=True, max_length=150, verbose_name='first name')),
                ('last_name', models.CharField(blank=True, max_length=150, verbose_name='last name')),
                ('email', models.EmailField(blank=True, max_length=254, verbose_name='email address')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('username', models.CharField(max_length=150, unique=True, validators=[leaderboard.accounts.names.check_username, django.contrib.auth.validators.UnicodeUsernameValidator()], verbose_name='Username')),
                ('skeleton', leaderboard.accounts.skeletons.SkeletonField(default='', editable=False, max_length=310, of='username')),
                ('language', models.CharField(choices=[('ko', 'Korean'), ('en', 'English')], default='ko', max_length=2, verbose_name='Language')),
                ('must_change_password', models.BooleanField(default=False, verbose_name='Must change the password at the next sign-in')),
                ('may_create_contests', models.BooleanField(default=False, verbose_name='May make competitions')),
                ('closed_at', models.DateTimeField(blank=True, editable=False, null=True, verbose_name='Closed at')),
                ('session_epoch', models.PositiveIntegerField(default=0, editable=False)),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'verbose_name': 'user',
                'verbose_name_plural': 'users',
                'abstract': False,
            },
            managers=[
                ('objects', django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name='PasswordLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token_sha256', models.CharField(max_length=64, unique=True, verbose_name='sha256')),
                ('password_hmac', models.CharField(default='', max_length=64, verbose_name='hmac')),
                ('made_at', models.DateTimeField(verbose_name='Created')),
                ('expires_at', models.DateTimeField(verbose_name='Expires at')),
                ('used_at', models.DateTimeField(null=True, verbose_name='Used at')),
                ('made_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='password_links', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'Password link',
                'verbose_name_plural': 'Password link',
                'ordering': ['-made_at', '-pk'],
            },
        ),
        migrations.AddConstraint(
            model_name='user',
            constraint=models.UniqueConstraint(fields=('skeleton',), name='one_person_per_skeleton'),
        ),
    ]
