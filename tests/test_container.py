"""The container file, as far as that can be tested without building it: its files, its versions, its start."""

import os
import re
import shutil
import subprocess
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from zipfile import ZipFile

import pytest
from pyspark.find_spark_home import _find_spark_home

from tests.grid.sparks import needs_java

ROOT = Path(__file__).parent.parent
CONTAINERFILE = ROOT / "tools" / "Containerfile"
ENTRYPOINT = ROOT / "tools" / "container-entrypoint"
GIVEN = {
    "SPARK_DRIVER_URL": "spark://driver:1",
    "SPARK_EXECUTOR_ID": "7",
    "SPARK_EXECUTOR_CORES": "2",
    "SPARK_EXECUTOR_MEMORY": "1g",
    "SPARK_APPLICATION_ID": "app",
    "SPARK_EXECUTOR_POD_IP": "10.0.0.7",
    "SPARK_RESOURCE_PROFILE_ID": "0",
    "SPARK_EXECUTOR_POD_NAME": "pod 7",
    "SPARK_JAVA_OPT_0": "-Da=b c",
    "SPARK_JAVA_OPT_1": "-Dd",
    "SPARK_HOME": "/spark",
}


def instructions() -> list[tuple[str, str]]:
    """The instructions of the container file with their arguments."""
    text = re.sub(r"\\\n\s*", "", CONTAINERFILE.read_text())
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines]


def test_what_it_names_exists() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (base,) = [rest for name, rest in instructions() if name == "FROM"]
    python = re.fullmatch(r"docker\.io/library/python:(3\.\d+)-slim-bookworm", base)
    assert python is not None and tuple(map(int, python[1].split("."))) >= (3, 11)
    for name, rest in instructions():
        if name == "COPY":
            source = rest.split()[0]
            wheel = f"dist/{project['name']}-{project['version']}-py3-none-any.whl"
            assert (ROOT / source).exists() or fnmatch(wheel, source), source
        if name == "ENV":
            assert f"/lib/python{python[1]}/site-packages/pyspark" in rest
    (installed,) = [rest for name, rest in instructions() if name == "RUN" and "pip install" in rest]
    (extra,) = re.findall(r"\[(\w+)\]", installed)
    assert extra in project["optional-dependencies"]
    assert os.access(ENTRYPOINT, os.X_OK)
    for name, rest in instructions():
        if name == "RUN":
            subprocess.run(["sh", "-n", "-c", rest], check=True, timeout=60)


def started(folder: Path, *arguments: str, **given: str) -> list[str]:
    """The command line that the container's start leads to."""
    stub = folder / "java"
    stub.write_text('#!/bin/sh\nprintf "%s\\n" java "$@"\n')
    stub.chmod(0o755)
    environment = {"PATH": f"{folder}:{os.environ['PATH']}", **given}
    command = [str(ENTRYPOINT), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.splitlines()


def test_it_starts_an_executor_or_a_command(tmp_path: Path) -> None:
    assert started(tmp_path, "echo", "a b", "c") == ["a b c"]
    java, *told = started(tmp_path, "executor", **GIVEN)
    assert java == "java"
    assert told[:6] == ["-Da=b c", "-Dd", "-Xms1g", "-Xmx1g", "-cp", ":/spark/jars/*"]
    own = dict(zip(told[7::2], told[8::2], strict=True))
    assert own["--podName"] == "pod 7" and own["--driver-url"] == "spark://driver:1"
    with pytest.raises(subprocess.CalledProcessError):
        started(tmp_path, "executor")


@needs_java
@pytest.mark.slow
def test_spark_knows_the_options_and_variables(tmp_path: Path) -> None:
    jars = Path(_find_spark_home(), "jars")
    backend = "org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend"
    assert backend in ENTRYPOINT.read_text()
    done = subprocess.run(
        ["java", "-cp", f"{jars}/*", backend, "--nonsense"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    usage = done.stdout + done.stderr
    for option in re.findall(r"^    (--\w[\w-]*) ", ENTRYPOINT.read_text(), re.MULTILINE):
        assert f"  {option} <" in usage, option
    (jar,) = jars.glob("spark-kubernetes_*.jar")
    with ZipFile(jar) as held:
        constants = held.read("org/apache/spark/deploy/k8s/Constants$.class")
    for name in {*GIVEN} - {"SPARK_HOME", "SPARK_JAVA_OPT_0", "SPARK_JAVA_OPT_1"}:
        assert name.encode() in constants, name
    assert b"SPARK_JAVA_OPT_" in constants


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("apt-cache") is None, reason="this is no Debian")
def test_debian_has_the_packages() -> None:
    (line,) = [rest for name, rest in instructions() if name == "RUN" and "apt-get" in rest]
    names = line.partition("--no-install-recommends ")[2].partition(" &&")[0].split()
    assert names
    for name in names:
        done = subprocess.run(["apt-cache", "show", name], capture_output=True, timeout=60, check=False)
        assert done.returncode == 0, name
