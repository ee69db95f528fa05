"""gunicorn's threaded worker, whose threads are given only to clients that have sent something.

gthread gives each connection a thread before the first line of its request is read, and lets that
thread wait for the body, and for the reader of the answer, as long as it pleases the client:
sixteen slow sockets stop a site. Here the poller, which spends only a buffer on a connection, reads

- the head, at most 16 KB within 10 s;
- a body of at most 16 KB, which almost all forms are, and as much of a larger one.

The rest of a larger body is read by its thread as the application asks for it; at most half the
threads of a process do that, and the next uploads wait without a thread. Whoever falls behind the
rates in `clients` is closed, the slowest first where its thread is needed; one address may have
eight bodies or answers below the least rate, and any number of others. Proxies
(forwarded_allow_ips) speak for many and are not counted. All numbers are for one process.

What the kernel does not take of an answer at once is left to the poller: a file of any size, and
up to 512 KB of anything else.

What is left: an answer that is no file and does not fit into both (about 900 KB) is sent by its
thread, so readers that take just enough of such a one hold threads. The proxy of compose.yaml
buffers answers and bodies of any size, limits each address and speaks TLS.

Nothing here imports Django: gunicorn loads it before the application.
"""
