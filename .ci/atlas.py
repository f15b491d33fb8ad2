"""Asks an atlas through DuckDB and Spark, and keeps one in a bucket: see .ci/atlas."""

import argparse
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

options = argparse.ArgumentParser()
options.add_argument("binary")
options.add_argument("--atlas")
options.add_argument("--about", default="npm:@org/lib#Client")
options.add_argument("--spark", action="store_true")
options.add_argument("--listing", type=int, default=300)
options = options.parse_args()

TABLES = ["repository", "package", "file", "edge", "declaration", "reference"]


def run(*arguments, env=None, code=0):
    done = subprocess.run([options.binary, *arguments], capture_output=True, text=True, env=env)
    assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
    return done


def result(*arguments, env=None):
    return json.loads(run(*arguments, "--format", "json", env=env).stdout)["result"]


def repository(root, name, files):
    folder = root / name
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    (folder / ".git").mkdir(exist_ok=True)
    (folder / ".git/HEAD").write_text("ref: refs/heads/main\n")
    return folder


def organisation(root):
    """Libraries, users, a circle of two and one of three, a package that two provide, one that passes on what a sibling declares, a head that two have."""
    same = "export function makeSomethingWithALongEnoughHead(first: string, second: number) { return first + second; }\n"
    lib = "export class Client {\n  send() {}\n}\nexport const unused = 1;\n"
    use = "import { Client } from '@org/lib';\nimport * as z from 'zod';\nexport const c = new Client();\nexport const s = z.object({});\n"
    manifest = lambda name, **asked: json.dumps({"name": name, "version": "1.0.0", "main": "index.ts", "dependencies": asked})
    made = [
        repository(root, "lib", {"package.json": manifest("@org/lib", web="1"), "index.ts": "import { c } from 'web';\n" + lib + "export const d = c;\n"}),
        repository(root, "web", {"package.json": manifest("web", **{"@org/lib": "^2.0.0", "zod": "^4"}), "index.ts": use + same}),
        repository(root, "job", {"package.json": manifest("job", **{"@org/lib": "~1.9.0"}), "index.ts": "import { s } from 'web';\n" + use + same}),
        repository(root, "fork", {"package.json": manifest("@org/lib"), "index.ts": "import { x } from 'job';\n" + lib}),
        repository(root, "hub", {"package.json": manifest("hub"), "index.ts": "export const h = 1;\n", **{f"f{n}.ts": "import { h } from './index';\nexport const x = h;\n" for n in range(25)}}),
        repository(root, "mono", {
            "package.json": json.dumps({"private": True, "workspaces": ["packages/*"]}),
            "packages/core/package.json": manifest("@mono/core"), "packages/core/index.ts": "export const ref = 1;\n",
            "packages/all/package.json": manifest("mono"), "packages/all/index.ts": "export { ref as signal } from '@mono/core';\nexport { z } from 'zod';\n",
        }),
        repository(root, "old", {"package.json": manifest("old", mono="1"), "index.js": "const { signal } = require('mono');\nexports.a = () => signal;\n"}),
        repository(root, "api", {"pyproject.toml": "[project]\nname = 'api'\ndependencies = ['Flask>=3']\n", "api/__init__.py": "from flask import Flask\n\napp = Flask('x')\n"}),
    ]
    atlas = root / "atlas"
    run("atlas", "add", *map(str, made), "--to", str(atlas))
    # What was replaced stays in the files until it is pruned: nobody may see it.
    (root / "lib/index.ts").write_text("import { c } from 'web';\n" + lib + "export const later = c;\n")
    run("atlas", "add", *map(str, made), "--to", str(atlas))
    return str(atlas)


def statements(engine, atlas, about):
    rows = result("atlas", "sql", engine, "--in", atlas, "--about", about)["rows"]
    return [sql for name, sql in rows if name == "view"], {name: sql for name, sql in rows if name != "view"}


def texts(rows):
    return sorted([str("" if value is None else value) for value in row] for row in rows)


def compare(engine, ask, atlas, about):
    views, queries = statements(engine, atlas, about)
    assert len(queries) == 10, queries
    for view in views:
        ask(view)
    for name, sql in queries.items():
        started = time.perf_counter()
        theirs = texts(ask(sql))
        took = time.perf_counter() - started
        started = time.perf_counter()
        ours = sorted(result("atlas", "query", name, "--in", atlas, "--about", about)["rows"])
        own = time.perf_counter() - started
        assert theirs == ours, (engine, name, len(theirs), len(ours), [row for row in theirs if row not in ours][:5], [row for row in ours if row not in theirs][:5])
        print(f"{engine} {name}: {len(ours)} rows, equal; {took:.2f} s there, {own:.2f} s here")


def duckdb_engine(atlas, about):
    import duckdb

    connection = duckdb.connect()
    compare("duckdb", lambda sql: connection.execute(sql).fetchall(), atlas, about)


def spark_engine(atlas, about):
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local-cluster[2,1,1024]")
    session = session.config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "8").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")

    def ask(sql):
        done = session.sql(sql)
        return [] if sql.startswith("CREATE") else [tuple(row) for row in done.collect()]

    compare("spark", ask, atlas, about)
    print(f"spark {session.version} on {session.sparkContext.master}")
    session.stop()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def bucket(root):
    import boto3

    port = free_port()
    server = subprocess.Popen(
        [str(pathlib.Path(sys.executable).parent / "moto_server"), "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={**os.environ, "INITIAL_NO_AUTH_ACTION_COUNT": "1000000000"},
    )
    try:
        endpoint = f"http://127.0.0.1:{port}"
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", port), 0.2).close()
                break
            except OSError:
                time.sleep(0.1)
        keys = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL": endpoint, "AWS_ALLOW_HTTP": "true"}
        env = {"PATH": os.environ["PATH"], **keys}
        client = boto3.client("s3", endpoint_url=endpoint, aws_access_key_id="key", aws_secret_access_key="secret", region_name="us-east-1")
        client.create_bucket(Bucket="atlas")
        place = "s3://atlas/all"
        upload(root, client, place, env)
        interrupted(root, client, place, env)
        two_writers(root, client, place, env)
        listing(root, client, env)
        refused(root, client, place, env)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()


def keys_of(client, prefix=""):
    pages = client.get_paginator("list_objects_v2").paginate(Bucket="atlas", Prefix=prefix)
    return sorted(item["Key"] for page in pages for item in page.get("Contents", []))


def upload(root, client, place, env):
    folders = [str(root / name) for name in ["lib", "web", "job"]]
    run("atlas", "add", *folders, "--to", place, env=env)
    assert len(keys_of(client, "all/")) == 3 * len(TABLES), keys_of(client)
    local = root / "same"
    run("atlas", "add", *folders, "--to", str(local))
    for key in keys_of(client, "all/"):
        there = client.get_object(Bucket="atlas", Key=key)["Body"].read()
        assert there == (local / key.removeprefix("all/")).read_bytes(), key
    look = run("atlas", "look", "npm:@org/lib#Client", "--in", place, env=env).stdout
    assert look == run("atlas", "look", "npm:@org/lib#Client", "--in", str(local)).stdout, look
    again = run("atlas", "add", *folders, "--to", place, env=env).stdout
    assert again.count("unchanged") == 3, again
    print("bucket: uploaded, the same bytes as in a folder, the same answers, unchanged the second time")


def interrupted(root, client, place, env):
    before = run("atlas", "chart", "--in", place, env=env).stdout
    names = keys_of(client, "all/")
    (root / "lib/more.ts").write_text("export const more = 1;\n")
    # Stopped at every stage: after a while that grows, until it is done before it is stopped.
    for wait in [0.02 * step for step in range(1, 60)]:
        process = subprocess.Popen([options.binary, "-C", str(root / "lib"), "export", "--out", place], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(wait)
            break
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        after = run("atlas", "chart", "--in", place, env=env).stdout
        is_new = "lib 3 files" in after
        assert is_new or after == before, after
        run("atlas", "find", "Client", "--in", place, env=env)
        if is_new:
            break
    run("-C", str(root / "lib"), "export", "--out", place, env=env)
    after = run("atlas", "chart", "--in", place, env=env).stdout
    assert "lib 3 files" in after, after
    assert set(names) <= set(keys_of(client, "all/")), "an upload removes nothing"
    print("bucket: interrupted uploads leave the old set or the new one")


def two_writers(root, client, place, env):
    copies = []
    for number in range(2):
        copy = root / f"copy{number}"
        subprocess.run(["cp", "-r", str(root / "web"), str(copy)], check=True)
        (copy / "own.ts").write_text(f"export const own{number} = {number};\n")
        copies.append(copy)
    for _ in range(5):
        writers = [subprocess.Popen([options.binary, "-C", str(copy), "export", "--out", place, "--id", "web", "--prune"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for copy in copies]
        for writer in writers:
            _, said = writer.communicate()
            assert writer.returncode == 0, said
        names = [subprocess.run([options.binary, "atlas", "find", f"own{number}", "--in", place], env=env, capture_output=True, text=True) for number in range(2)]
        assert sorted(it.returncode for it in names) == [0, 1], [(it.returncode, it.stdout, it.stderr) for it in names]
        run("atlas", "query", "packages-by-users", "--in", place, env=env)
    print("bucket: of two writers at once one is the last, whole")


def listing(root, client, env):
    local = root / "same/repository/lib.parquet"
    one = local.read_bytes()
    for number in range(options.listing):
        client.put_object(Bucket="atlas", Key=f"many/repository/r{number}.parquet", Body=one)
    started = time.perf_counter()
    chart = run("atlas", "chart", "--in", "s3://atlas/many", "--budget", "500", env=env).stdout
    took = time.perf_counter() - started
    assert f"atlas: {options.listing:,} repositories" in chart, chart
    print(f"bucket: {options.listing:,} repositories listed and charted in {took:.1f} s")


def refused(root, client, place, env):
    import urllib.request

    endpoint = env["AWS_ENDPOINT_URL"]
    def let(actions):
        """How many calls anybody may make before the server asks who it is."""
        request = urllib.request.Request(f"{endpoint}/moto-api/reset-auth", data=actions, method="POST", headers={"Content-Type": "text/plain"})
        urllib.request.urlopen(request).read()

    let(b"0")
    wrong = {**env, "AWS_ACCESS_KEY_ID": "wrong", "AWS_SECRET_ACCESS_KEY": "wrong"}
    (root / "lib/evenmore.ts").write_text("export const evenMore = 1;\n")
    done = run("-C", str(root / "lib"), "export", "--out", place, env=wrong, code=1)
    assert "cannot be read" in done.stderr and "credentials come from the environment" in done.stderr, done.stderr
    assert "wrong" not in done.stderr.replace("what is wrong", ""), done.stderr
    let(b"1000000000")
    assert "evenMore" not in run("atlas", "chart", "--in", place, env=env).stdout
    nothing = [key for key in keys_of(client, "all/") if "lib-" in key]
    run("atlas", "find", "evenMore", "--in", place, env=env, code=1)
    assert len(nothing) % 5 == 0, nothing
    print("bucket: wrong credentials are told, nothing is written")


with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    small = organisation(root)
    asked = [(small, "npm:@org/lib#Client")]
    if options.atlas:
        asked.append((options.atlas, options.about))
    for atlas, about in asked:
        duckdb_engine(atlas, about)
        if options.spark:
            spark_engine(atlas, about)
    bucket(root)
