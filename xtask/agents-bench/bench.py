"""What the scripts of this folder share: the tasks, the commands of this machine, and git."""
import json
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


def tasks():
    """All tasks by id."""
    return {task["id"]: task for task in json.loads((HERE / "tasks.json").read_text())}


def commands(file):
    """How this machine runs the tests of each task: {id: {"run": command, "env": {name: value}}}."""
    return json.loads(pathlib.Path(file).read_text())


def git(folder, *arguments, **options):
    """Runs git in a folder and gives its output as bytes."""
    call = ["git", "-c", "safe.directory=*", *arguments]
    return subprocess.run(call, cwd=folder, capture_output=True, check=True, **options).stdout


def base_of(task, source):
    """The commit that an agent starts from."""
    commit = task["base"] if "base" in task else task["fix"] + "^"
    return git(source, "rev-parse", commit).decode().strip()


def truth_of(task):
    """The known answer of a question."""
    return json.loads((HERE / "truth" / f"{task['id']}.json").read_text())
