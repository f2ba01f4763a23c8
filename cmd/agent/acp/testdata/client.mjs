// Drives `agent acp` with the official TypeScript client, which checks every message that
// it receives. Usage: node client.mjs PROGRAM [ARGUMENT...], in the directory of the
// session, with @agentclientprotocol/sdk installed in a directory above this file.
// It prints one line for each step and exits with 1 at the first error.
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { Readable, Writable } from "node:stream";
import { join } from "node:path";
import { client, methods, ndJsonStream } from "@agentclientprotocol/sdk";

const [program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
const { agent, client: own } = methods;
const cwd = process.cwd();
const updates = [];
let answers = [];

function expect(ok, text) {
  if (!ok) throw new Error("expected " + text + ", got " + JSON.stringify(updates.slice(-5)));
  console.log("ok " + text);
}
const has = (kind, test = () => true) => updates.some((u) => u.sessionUpdate === kind && test(u));

const app = client({ name: "test" })
  .onNotification(own.session.update, ({ params }) => {
    updates.push(params.update);
  })
  .onRequest(own.session.requestPermission, async ({ params }) => {
    const answer = answers.shift();
    if (answer === "cancelled") return { outcome: { outcome: "cancelled" } };
    const option = params.options.find((o) => o.kind === answer);
    return { outcome: { outcome: "selected", optionId: option.optionId } };
  })
  .onRequest(own.fs.readTextFile, async ({ params }) => ({ content: (await readFile(params.path, "utf8")) + "// unsaved\n" }))
  .onRequest(own.fs.writeTextFile, async ({ params }) => {
    await writeFile(params.path, params.content);
    return {};
  });

await app.connectWith(stream, async (ctx) => {
  const init = await ctx.request(agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
  });
  expect(init.protocolVersion === 1 && init.authMethods.length === 0 && init.agentInfo.name === "agent", "initialize");

  const open = await ctx.request(agent.session.new, { cwd, mcpServers: [] });
  expect(open.modes.currentModeId === "ask" && open.configOptions.some((o) => o.id === "model"), "session/new");
  const sessionId = open.sessionId;
  const prompt = (...blocks) => ctx.request(agent.session.prompt, { sessionId, prompt: blocks });
  const text = (t) => ({ type: "text", text: t });

  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";
  answers = ["allow_once", "reject_once"];
  let end = await prompt(
    text("Read "),
    { type: "resource_link", name: "main.go", uri: pathToFileURL(join(cwd, "main.go")).href },
    { type: "resource", resource: { uri: "file:///x.txt", text: "embedded" } },
    { type: "image", mimeType: "image/png", data: pixel },
  );
  expect(end.stopReason === "end_turn", "session/prompt with a link, a resource and an image");
  expect(has("plan") && has("tool_call") && has("usage_update") && has("available_commands_update"), "updates");
  expect(has("tool_call_update", (u) => u.content?.some((c) => c.type === "diff" && c.newText.includes("goodbye"))), "a diff");
  expect((await readFile("main.go", "utf8")).includes('goodbye")\n}\n// unsaved'), "the unsaved text with the change");
  expect(has("tool_call_update", (u) => u.status === "failed"), "a rejected command");
  expect(answers.length === 0, "two permission requests");

  answers = ["cancelled"];
  end = await prompt(text("again"));
  expect(end.stopReason === "cancelled", "a cancelled permission request");

  const running = prompt(text("talk"));
  while (!has("agent_message_chunk", (u) => u.content.text.includes("long"))) await new Promise((r) => setTimeout(r, 10));
  const before = Date.now();
  await ctx.notify(agent.session.cancel, { sessionId });
  end = await running;
  expect(end.stopReason === "cancelled", "session/cancel");
  console.error("session/cancel was answered after " + (Date.now() - before) + " ms");

  await ctx.request(agent.session.setMode, { sessionId, modeId: "plan" });
  const set = await ctx.request(agent.session.setConfigOption, { sessionId, configId: "effort", value: "high" });
  expect(set.configOptions.find((o) => o.id === "effort").currentValue === "high", "session/set_config_option");
  expect(has("current_mode_update", (u) => u.currentModeId === "plan"), "session/set_mode");

  const all = await ctx.request(agent.session.list, { cwd });
  expect(all.sessions.some((s) => s.sessionId === sessionId && s.title.startsWith("Read")), "session/list");
  await ctx.request(agent.session.close, { sessionId });
  updates.length = 0;
  await ctx.request(agent.session.load, { sessionId, cwd, mcpServers: [] });
  expect(has("user_message_chunk") && has("tool_call") && has("plan"), "session/load");
  await ctx.request(agent.session.close, { sessionId });
  await ctx.request(agent.session.resume, { sessionId, cwd });
  console.log("ok session/resume");
  const unknown = await ctx.request("no/such", {}).catch((e) => e);
  expect(unknown.code === -32601, "an unknown method");
});
child.stdin.end();
const code = await new Promise((r) => (child.exitCode !== null ? r(child.exitCode) : child.on("exit", r)));
console.log(code === 0 ? "ok exit" : "exit code " + code);
process.exit(code === 0 ? 0 : 1);
