package trust_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"agent/cmd/agent/trust"
)

// A program of the user that would run a file of the workspace is found with that file.
func TestServersThatRunFilesOfTheWorkspace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ command, file, env string }{
		{command: "npx -y srv", file: "node_modules/.bin/srv"}, {command: "npx -y @a/srv@1.2 .", file: "node_modules/.bin/srv"}, {command: "/usr/bin/npx -p srv x", file: "node_modules/.bin/srv"},
		{command: "npx -y @a/srv .", file: "node_modules/@a/srv/package.json"}, {command: "bunx srv", file: "node_modules/.bin/srv"}, {command: "bun x srv", file: "node_modules/.bin/srv"},
		{command: "pnpm dlx srv", file: "node_modules/.bin/srv"}, {command: "yarn dlx srv", file: "node_modules/.bin/srv"}, {command: "yarn dlx srv", file: ".yarnrc.yml"}, {command: "npm exec -- srv", file: "node_modules/.bin/srv"},
		{command: "npx -y srv", file: ".npmrc"}, {command: "npx tsx src/srv.ts", file: "src/srv.ts"}, {command: "npx ./srv", file: "srv/package.json"}, {command: "npm run srv", file: "package.json"},
		{command: "python3 -m srv", file: "srv.py"}, {command: "python3 -m srv --x .", file: "srv/__main__.py"}, {command: "python3 -u -msrv.a", file: "srv/__init__.py"}, {command: "python3.12 -m json.tool", file: "json/__init__.py"},
		{command: "uvx --from ./srv srv", file: "srv/pyproject.toml"}, {command: "uvx python -m srv", file: "srv.py"}, {command: "uv run srv", file: "pyproject.toml"}, {command: "uv run python -m srv", file: "srv/__init__.py"},
		{command: "python3 srv.py", file: "srv.py"}, {command: "node srv", file: "srv.js"}, {command: "node .", file: "index.js"}, {command: "node ROOT/srv.js", file: "srv.js"}, {command: "deno run -A srv.ts", file: "srv.ts"},
		{command: "bun srv.ts", file: "srv.ts"}, {command: "ruby -Ilib -rx -e 1", file: "lib/x.rb"}, {command: "sh -c ./srv.sh", file: "srv.sh"}, {command: "./srv", file: "srv"}, {command: "ROOT/srv", file: "srv"},
		{command: "env A=1 python3 -m srv", file: "srv.py"}, {command: "runner tools/srv.sh", file: "tools/srv.sh"}, {command: "make srv", file: "Makefile"}, {command: "go run ./srv", file: "srv/main.go"},
		{command: "python3 /opt/srv.py", file: "lib/x.py", env: "PYTHONPATH=lib"}, {command: "node /opt/srv.js", file: "pre.js", env: "NODE_OPTIONS=--require=./pre.js"}, {command: "srv", file: "tools/x", env: "PATH=tools:/usr/bin"},
		{command: "bash /opt/srv.sh", file: "rc.sh", env: "BASH_ENV=./rc.sh"}, {command: "srv", file: "x.so", env: "LD_PRELOAD=ROOT/x.so"},
		{command: "op run -- npx -y srv", file: "node_modules/.bin/srv"}, {command: "doppler run -- npx tsx srv.ts", file: "srv.ts"}, {command: "aws-vault exec p -- python3 -m srv", file: "srv.py"},
		{command: "uvx mcp-proxy npx srv", file: "node_modules/.bin/srv"}, {command: "tsx /opt/srv.ts", file: "tsconfig.json"}, {command: "npx tsx /opt/srv.ts", file: "tsconfig.json"}, {command: "node --import tsx /opt/srv.ts", file: "tsconfig.json"},
		{command: "npx --prefix tools srv", file: "tools/node_modules/.bin/srv"}, {command: "npx --prefix=tools srv", file: "tools/node_modules/.bin/srv"}, {command: "npx -y -C tools srv", file: "tools/node_modules/.bin/srv"},
		{command: "npm exec --prefix tools -- srv", file: "tools/node_modules/.bin/srv"}, {command: "npx -w tools srv", file: "tools/node_modules/srv/package.json"}, {command: "npx --workspace=tools srv", file: "tools/node_modules/.bin/srv"},
		{command: "bunx srv ./x", file: ".env"}, {command: "bun ./srv.ts", file: ".env.local"}, {command: "deno run -A npm:srv .", file: ".npmrc"}, {command: "deno run -A npm:srv .", file: "package.json"}, {command: "deno run -A npm:srv .", file: "deno.lock"},
		{command: "uv run --with srv srv .", file: "uv.toml"}, {command: "uv run --with srv srv .", file: ".python-version"}, {command: "uv run srv .", file: ".env"}, {command: "Rscript -e x::y() .", file: ".Rprofile"}, {command: "R -f ./x.R", file: ".Renviron"},
		{command: "clojure -X:mcp", file: "deps.edn"}, {command: "dnx srv --yes", file: "NuGet.Config"}, {command: "dotnet tool run srv", file: ".config/dotnet-tools.json"}, {command: "docker compose run -T srv", file: "compose.yaml"}, {command: "docker compose -f conf/x.yaml up", file: "conf/x.yaml"},
		{command: "docker-compose run -T srv", file: "docker-compose.yml"}, {command: "docker compose run -T srv", file: ".env"}, {command: "pixi run srv", file: "pixi.toml"}, {command: "devbox run srv", file: "devbox.json"}, {command: "nix develop -c srv", file: "flake.nix"},
		{command: "pipx run srv .", file: "srv"}, {command: "other .", file: ".tool-versions"}, {command: "npx -y srv .", file: "mise.toml"}, {command: "npx -y srv .", file: ".config/mise/conf.d/x.toml"}, {command: "npx -y srv .", file: "mise.local.toml"},
		{command: "node --import file:///opt/node_modules/tsx/dist/loader.mjs /opt/srv.ts", file: "tsconfig.json"},
	} {
		root := t.TempDir()
		in := strings.NewReplacer("ROOT", root)
		read := func() string {
			text, _ := trust.Server(root, root, strings.Fields(in.Replace(c.command)), []string{in.Replace(c.env)})
			return text
		}
		if before := read(); before != "" {
			t.Errorf("%s in an empty workspace: %q", c.command, before)
		}
		write(t, root, c.file, "text")
		if got := read(); !strings.Contains(got, "--- "+c.file+" (4 bytes)\n") {
			t.Errorf("%s does not find %s: %q", c.command, c.file, got)
		}
	}
}

// A program that starts elsewhere reaches files of the workspace only by absolute paths.
func TestServersThatStartOutsideTheWorkspace(t *testing.T) {
	t.Parallel()
	root, home := t.TempDir(), t.TempDir()
	for _, name := range []string{".tool-versions", ".npmrc", ".env", "package.json", "node_modules/.bin/srv", "srv", "srv.py", "tools/srv.js", "tools/index.js", "tools/pyproject.toml", "index.js"} {
		write(t, root, name, "text")
	}
	in := strings.NewReplacer("ROOT", root)
	for command, want := range map[string]string{
		"npx -y srv": "", "pipx run srv": "", "python3 -m srv": "", "node srv.py": "", "sh -c srv": "", "npx -y srv ROOT": "", "bun /opt/x.ts": "",
		"node ROOT/tools/srv.js": "tools/srv.js", "ROOT/srv": "srv", "node ROOT/tools": "tools/index.js", "npx -y --prefix ROOT srv": "node_modules/.bin/srv", "uv --directory ROOT/tools run srv": "tools/pyproject.toml",
	} {
		got, _ := trust.Server(root, home, strings.Fields(in.Replace(command)), nil)
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q", command, got)
		}
	}
	if got, _ := trust.Server(root, home, []string{"srv"}, []string{"NODE_OPTIONS=--require=" + root + "/tools/srv.js --import=x", "PYTHONPATH=tools"}); !strings.Contains(got, "--- tools/srv.js") || strings.Count(got, "---") != 1 {
		t.Errorf("variables: %q", got)
	}
}

// A program that PATH finds in the workspace is found, and so is the interpreter of a script.
func TestServersThatPathFindsInTheWorkspace(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs of the test are scripts of Unix")
	}
	root, other := t.TempDir(), t.TempDir()
	for file, text := range map[string]string{
		filepath.Join(root, ".venv/bin/srv"): "text", filepath.Join(root, ".venv/bin/node"): "text",
		filepath.Join(other, "script"): "#!/usr/bin/env -S node --x\n", filepath.Join(other, "own"): "#!/bin/sh\n",
	} {
		write(t, filepath.Dir(file), filepath.Base(file), text)
		if err := os.Chmod(file, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(root, ".venv"), filepath.Join(other, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, ".venv/bin/srv"), filepath.Join(other, "tool")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ command, path, file string }{
		{other + "/link/bin/srv", "", "srv"}, {"node " + other + "/link/bin/srv", "", "srv"}, {"tool", other, "srv"}, {"env tool", other + ":/usr/bin", "srv"}, {"env srv", root + "/.venv/bin:/usr/bin", "srv"},
		{"timeout 60 srv", root + "/.venv/bin:/usr/bin", "srv"}, {"sh -c tool", other + ":/bin", "srv"}, {"npx --prefix " + other + "/link/bin ./srv", "", "srv"}, {"env own", other, ""},
		{"srv", root + "/.venv/bin:/usr/bin", "srv"}, {"srv", other + "/link/bin", "srv"}, {filepath.Join(other, "script"), root + "/.venv/bin", "node"},
		{"script", root + "/.venv/bin:" + other, "node"}, {"own", root + "/.venv/bin:" + other, ""},
	} {
		t.Setenv("PATH", c.path)
		got, _ := trust.Server(root, root, strings.Fields(c.command), nil)
		if c.file != "" && !strings.Contains(got, "--- .venv/bin/"+c.file+" ") || c.file == "" && got != "" {
			t.Errorf("%s with PATH=%s: %q", c.command, c.path, got)
		}
	}
}

// A package of the workspace with a program of the name that npx fetches is found, too.
func TestServersThatRunTheProgramOfThePackage(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, "package.json", `{"name":"x","bin":{"srv":"evil.js"}}`)
	write(t, root, "evil.js", "evil")
	if got, _ := trust.Server(root, root, []string{"npx", "-y", "srv"}, nil); !strings.Contains(got, "--- evil.js") {
		t.Errorf("got %q", got)
	}
	if got, _ := trust.Server(root, root, []string{"npx", "-y", "other"}, nil); got != "" {
		t.Errorf("got %q", got)
	}
}

// A program of the user that runs no file of the workspace needs no confirmation, whatever
// the workspace contains and wherever its data is.
func TestServersThatRunNoFilesOfTheWorkspace(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, name := range []string{"package.json", "pyproject.toml", "index.js", "__init__.py", "__main__.py", "node/index.js", "npx", "config.json", "data.db", "srv.py", "server.py", "node_modules/.bin/eslint", "src/index.js", "setup.py", "go.mod"} {
		write(t, root, name, "{}")
	}
	for _, command := range []string{
		"npx -y @modelcontextprotocol/server-filesystem .", "npx -y other --config config.json .", "uvx mcp-server-git --repository .", "uvx other src", "pipx run other .", "bunx other .",
		"python3 -m mcp_server_git --repository .", "python3 -u -m other .", "python3 /opt/server.py .", "node /opt/index.js .", "/usr/bin/node /opt/src/index.js config.json", "docker run -i --rm image", "docker run -i --rm mcp/fetch",
		"other --db data.db", "other .", "npx --prefix /opt srv .", "uv --directory /opt/srv run server.py", "go run example.org/srv@latest .", "/opt/srv config.json",
	} {
		if got, _ := trust.Server(root, root, strings.Fields(command), []string{"DATA=.", "DB=data.db", "PATH=/opt/bin:/usr/bin"}); got != "" {
			t.Errorf("%s: %q", command, got)
		}
	}
	if got, _ := trust.Server(filepath.Join(root, "src"), filepath.Join(root, "src"), []string{"sh", filepath.Join(root, "srv.py")}, nil); got != "" {
		t.Errorf("outside the workspace: %q", got)
	}
}

// Links do not hide a file, even if they are absolute or leave the workspace.
func TestServersThatRunFilesBehindLinks(t *testing.T) {
	t.Parallel()
	root, outside := t.TempDir(), t.TempDir()
	write(t, root, "evil/.bin/srv", "evil")
	write(t, outside, ".bin/srv", "evil")
	for _, target := range []string{"evil", filepath.Join(root, "evil"), outside} {
		link := filepath.Join(root, "node_modules")
		if err := os.Symlink(target, link); err != nil {
			t.Skip(err)
		}
		got, _ := trust.Server(root, root, []string{"npx", "srv"}, nil)
		if !strings.Contains(got, "--- node_modules/.bin/srv") || target != outside && !strings.Contains(got, "evil") {
			t.Errorf("a link to %s: %q", target, got)
		}
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
	}
}

// The content of a script behind an absolute link in the workspace is compared.
func TestScriptsBehindAbsoluteLinksAreCompared(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, "real/x.sh", "good")
	if err := os.Symlink(filepath.Join(root, "real"), filepath.Join(root, "dir")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(filepath.Join(root, "real", "x.sh"), filepath.Join(root, "x.sh")); err != nil {
		t.Skip(err)
	}
	for _, command := range []string{"sh dir/x.sh", "sh x.sh", "cd dir && ./x.sh"} {
		write(t, root, "real/x.sh", "good")
		before, _ := trust.Commands(root, root, command)
		write(t, root, "real/x.sh", "evil")
		if after, _ := trust.Commands(root, root, command); before == after {
			t.Errorf("%s: a change is not noticed: %q", command, after)
		}
	}
}
