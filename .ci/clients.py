"""Asks `portolan mcp` through the Python package `mcp`, in both eras of the protocol."""

import asyncio
import os
import sys
import time

from mcp import Client, StdioServerParameters

BINARY, ROOT = sys.argv[1], sys.argv[2]


def text_of(result):
    return result.content[0].text


async def drive(mode):
    environment = {"XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"], "PATH": os.environ["PATH"]}
    server = StdioServerParameters(command=BINARY, args=["mcp"], cwd=ROOT, env=environment)
    started = time.perf_counter()
    async with Client(server, mode=mode) as client:
        tools = (await client.list_tools()).tools
        took = (time.perf_counter() - started) * 1000
        assert [tool.name for tool in tools] == ["search", "look", "read", "pack"], tools
        assert all(tool.annotations.read_only_hint for tool in tools)

        async def ask(name, **arguments):
            result = await client.call_tool(name, arguments)
            assert not result.is_error, text_of(result)
            assert result.structured_content is None
            return text_of(result)

        look = await ask("look", targets=["src/b.ts"])
        assert "look src/b.ts 1 user, 0 needs" in look, look
        assert "export const b = 1" in await ask("read", targets=["src/b.ts#b"])
        found = await ask("search", patterns=["priceOf"])
        assert "1 line" in found and "src/b.ts" in found, found
        # Older clients still call what the list no longer has.
        assert "a.ts" in await ask("chart")
        failure = "src/a.ts(2,14): error TS2322: Type 'string' is not assignable to type 'number'."
        assert "TS2322" in await ask("pack", failure=failure)
        digest = look.split(" ")[0]
        assert "1 true, 0 not" in await ask("check", digests=[digest])

        # What changes shows in the next answer.
        added = os.path.join(ROOT, "src", "added.ts")
        with open(added, "w") as file:
            file.write("import { b } from './b';\n")
        assert "2 users" in await ask("look", targets=["src/b.ts"])
        assert "src/added.ts (new)" in await ask("check", digests=[digest])
        os.remove(added)
        assert "1 user" in await ask("look", targets=["src/b.ts"])

        # Many at once.
        many = await asyncio.gather(*(ask("look", targets=["src/a.ts"]) for _ in range(20)))
        assert len(set(many)) == 1
        wrong = await client.call_tool("read", {"targets": ["src/b.ts#priceOff"]})
        assert wrong.is_error and "nearest: src/b.ts#priceOf" in text_of(wrong), text_of(wrong)
        assert len((await client.list_resources()).resources) == 2
        assert len((await client.list_prompts()).prompts) == 2
        prompt = await client.get_prompt("thread", {"task": "change b"})
        assert "Task: change b" in prompt.messages[0].content.text
    print(f"python mcp, {mode}: passed, {took:.0f} ms from start to the list of tools")


async def main():
    for mode in ("legacy", "auto", "2026-07-28"):
        await drive(mode)


asyncio.run(main())
