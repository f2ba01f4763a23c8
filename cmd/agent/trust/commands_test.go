package trust_test

import (
	"path/filepath"
	"strings"
	"testing"

	"agent/cmd/agent/trust"
)

// What a command runs belongs to what is confirmed, however it names the file.
func TestChangedProgramsAreNoticed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ command, file string }{
		{"make lint", "Makefile"}, {"make lint", "GNUmakefile"}, {"make -C sub lint", "sub/Makefile"}, {"cd sub && make", "sub/Makefile"},
		{"npm run lint", "package.json"}, {"npm run lint --prefix sub", "sub/package.json"}, {"pnpm lint", "package.json"}, {"yarn lint", ".yarnrc.yml"},
		{"just lint", "justfile"}, {"uv run check", "pyproject.toml"}, {"cargo clippy", "build.rs"}, {"pytest -q", "conftest.py"},
		{"sh scripts/c.sh", "scripts/c.sh"}, {"sh scripts/*.sh", "scripts/c.sh"}, {"sh scripts/?.sh", "scripts/c.sh"},
		{`for f in scripts/*; do sh "$f"; done`, "scripts/a b"}, {"git ls-files scripts | xargs sh", "scripts/c.sh"}, {"find scripts -name '*.sh' -exec sh {} ;", "scripts/deep/c.sh"},
		{"python3 -m tool", "tool.py"}, {"python3 -m tool", "tool/__main__.py"}, {"python3 -m tool.lint", "tool/lint.py"},
		{"node lint", "lint.js"}, {"node lint", "lint/index.js"}, {"node lint", "lint/package.json"}, {"node ./lint", "lint.cjs"}, {"node ./lint", "lint/index.js"}, {"ruby -r ./lint -e 1", "lint.rb"},
		{"python3 -m tool.lint", "tool/__init__.py"}, {"python3 -mtool", "tool/__main__.py"}, {"python3 -Bmtool", "tool.py"}, {"python3 -m json.tool", "json/__init__.py"}, {"python3 -m tool", "tool/__init__.pyc"},
		{"npx tool", "node_modules/.bin/tool"}, {"npx @a/tool@2", "node_modules/@a/tool/package.json"}, {"node -r hook -e 1", "node_modules/hook/index.js"}, {"deno run tool", "tool.ts"}, {"bun tool", "tool.ts"}, {"bun run x", "bunfig.toml"},
		{"uv run tool", ".venv/bin/tool"}, {"go run ./tool", "tool/main.go"}, {"make -sCtools x", "tools/Makefile"}, {"ruby -Itools -rx -e 1", "tools/x.rb"}, {"perl -Ilib -Mx -e 1", "lib/x.pm"},
		{"PYTHONPATH=lib", "lib/deep/x.py"}, {"PATH=tools:/usr/bin tool", "tools/tool"}, {"BASH_ENV=./rc.sh", "rc.sh"}, {"ENV=rc.sh", "rc.sh"}, {"NODE_OPTIONS=--require=./pre.js", "pre.js"}, {"NODE_OPTIONS=-r hook", "node_modules/hook/index.js"},
		{"PYTHONSTARTUP=x.py", "x.py"}, {"PERL5OPT=-Mx -Ilib", "lib/x.pm"}, {"RUBYOPT=-r./pre", "pre.rb"}, {"LD_PRELOAD=./x.so", "x.so"},
		{"cd scripts && sh c.sh", "scripts/c.sh"}, {`"$PWD/scripts/c.sh"`, "scripts/c.sh"}, {"S=scripts; sh $S/c.sh", "scripts/c.sh"}, {`eval "$(cat scripts/c.sh)"`, "scripts/c.sh"},
		{`sh $'scripts/c\x2esh'`, "scripts/c.sh"}, {`sh scripts/c$'\56'sh`, "scripts/c.sh"}, {`sh $'scripts\u002fc.sh'`, "scripts/c.sh"}, {`echo $'it\'s' && sh $'scripts/c\x2esh'`, "scripts/c.sh"}, {`sh scripts/c"."sh`, "scripts/c.sh"}, {`sh scripts/c\.sh`, "scripts/c.sh"},
		{"bash\n-c\nsh $'scripts/c\\x2esh'", "scripts/c.sh"}, {"bash\n-c\nsh $(printf 'scripts/c.%s' sh)", "scripts/c.sh"},
		{`sh "$(dirname scripts/x)/c.sh"`, "scripts/c.sh"}, {`sh $(printf scripts/c).sh`, "scripts/c.sh"}, {"sh `printf scripts/c`.sh", "scripts/c.sh"}, {`sh $(printf '%s/%s' scripts c.sh)`, "scripts/c.sh"}, {`sh $(echo $(echo scripts/c)).sh`, "scripts/c.sh"}, {`sh $(echo $(cat x) scripts/c).sh`, "scripts/c.sh"}, {`sh $(case a in a) printf scripts/c;; esac).sh`, "scripts/c.sh"}, {`sh $( (cat x); printf scripts/c).sh`, "scripts/c.sh"},
		{`E=sh; sh scripts/c.$E`, "scripts/c.sh"}, {`sh scripts/c.${E:-sh}`, "scripts/c.sh"}, {`sh "$PWD/scripts/$(echo c).sh"`, "scripts/c.sh"}, {`sh scripts/c.{sh,x}`, "scripts/c.sh"}, {`cd sub && sh "$(dirname deep/x)/c.sh"`, "sub/deep/c.sh"},
	} {
		root := t.TempDir()
		read := func(text string) string {
			write(t, root, c.file, text)
			write(t, root, "sub/deep/x", "")
			all, _ := trust.Commands(root, root, c.command)
			return all
		}
		if before, after := read("good"), read("evil"); !strings.Contains(before, "good") || !strings.Contains(after, "evil") {
			t.Errorf("%s: a change of %s is not noticed: %q", c.command, c.file, after)
		}
	}
}

// The files that a package.json names belong to what is confirmed.
func TestEntryPointsOfPackagesAreNoticed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ command, manifest, text, file string }{
		{"node .", "package.json", `{"main":"a.js"}`, "a.js"}, {"node ./srv", "srv/package.json", `{"main":"lib/a"}`, "srv/lib/a.js"}, {"node srv", "srv/package.json", `{"main":"lib"}`, "srv/lib/index.js"},
		{"npx tool", "node_modules/tool/package.json", `{"bin":{"other":"cli.js"}}`, "node_modules/.bin/other"}, {"npx tool", "node_modules/tool/package.json", `{"bin":"cli.js"}`, "node_modules/tool/cli.js"},
		{"npx tool", "package.json", `{"bin":{"tool":"cli.js"}}`, "cli.js"}, {"node -r tool x", "node_modules/tool/package.json", `{"exports":{".":{"require":"./a.cjs"}}}`, "node_modules/tool/a.cjs"}, {"bun .", "package.json", `{"module":"a.ts"}`, "a.ts"},
	} {
		root := t.TempDir()
		write(t, root, c.manifest, c.text)
		before, _ := trust.Commands(root, root, c.command)
		write(t, root, c.file, "added")
		if after, _ := trust.Commands(root, root, c.command); before == after || !strings.Contains(after, "--- "+c.file) {
			t.Errorf("%s: %s is not noticed: %q", c.command, c.file, after)
		}
	}
}

// A limit on what is shown does not limit what is compared.
func TestFilesThatAreNotShownAreCompared(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for i := range 300 {
		write(t, root, filepath.Join("scripts", strings.Repeat("x", i%50+1)+strings.Repeat("y", i/50)), "good")
	}
	read := func() string {
		all, _ := trust.Commands(root, root, "for f in scripts/*; do sh $f; done")
		return all
	}
	before := read()
	write(t, root, filepath.Join("scripts", strings.Repeat("x", 50)+"yyyyy"), "evil")
	if read() == before {
		t.Error("the change is not noticed")
	}
}

// A command with many substitutions is taken apart in little time.
func TestManySubstitutions(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, "scripts/c.sh", "good")
	for _, many := range []string{"$(", "`", "$'", "$((", "<(a)", "a/$b", "a/b{"} {
		line := strings.Repeat(many, 100_000) + "; sh scripts/c.sh"
		if all, _ := trust.Commands(root, root, line); !strings.Contains(all, "good") && many != "$'" {
			t.Errorf("%s: %q", many, all)
		}
	}
}

// What a command only reads or changes is not part of what is confirmed: if it were, a hook that
// checks the sources would need a new confirmation after every change of them.
func TestDataOfCommandsIsNotConfirmed(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"npx eslint src", "npx prettier --check src/*.{js,ts}", "npx eslint $(git diff --name-only -- src/)", `npx prettier --write "$(jq -r .tool_input.file_path)"`,
		"ruff check src && mypy src", "python3 -m unittest discover src", "pytest -q src", `sh "$(git rev-parse --show-toplevel)/check.sh"`, `V=$(grep -rl TODO src/deep | head -1)`, "gofmt -l src",
	} {
		root := t.TempDir()
		write(t, root, "src/deep/a.ts", "data")
		write(t, root, "src/a.ts", "data")
		if all, _ := trust.Commands(root, root, command); strings.Contains(all, "data") {
			t.Errorf("%s: %s", command, all)
		}
	}
}
