package policy_test

import (
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/tools"
)

// gitPrograms are programs that a git configuration can name, with a file that they run. A "+"
// before it means that the file does not exist yet.
var gitPrograms = [][2]string{
	{`$(cd "$(git rev-parse --show-toplevel)" && pwd)/tools/x.sh`, "tools/x.sh"}, {"$(dirname $(git rev-parse --git-dir))/tools/x.sh", "tools/x.sh"}, {"${GIT_DIR:-.git}/../tools/x.sh", "tools/x.sh"},
	{"GIT_TOOLS=tools; $GIT_TOOLS/x.sh", "tools/x.sh"}, {"GIT_TOOLS=tools", "tools/x.sh"}, {"case $1 in *) tools/x.sh;; esac", "tools/x.sh"}, {"test -x tools/x.sh && tools/x.sh || cat", "tools/x.sh"}, {"sh -c $'tools/x.sh'", "tools/x.sh"},

	{"cat tools/{x,y}.sh | sh", "tools/x.sh"}, {"cat tools/{x,y}.sh | sh", "+tools/y.sh"}, {"cat t{ool,x}s/x.sh | sh", "tools/x.sh"}, {"cat {run,r}.sh | sh", "run.sh"}, {"cat {run,{r,other}}.sh | sh", "+other.sh"}, {"cat r{a..z}n.sh | sh", "run.sh"},
	{"sh tools/?.sh", "tools/x.sh"}, {"for f in tools/*.sh; do sh $f; done", "tools/x.sh"}, {`for f in tools/*.sh; do . "./$f"; done`, "tools/x.sh"}, {"cat tools/*.sh | sh", "tools/x.sh"}, {"cat tools/*.sh | sh", "+tools/y.sh"}, {"cat ./tools/[a-z].sh | sh", "+tools/y.sh"},
	{"cat *.sh | sh", "run.sh"}, {"cat *.sh | sh", "+other.sh"}, {"cat ./*.sh | sh", "+other.sh"}, {"cat */x.sh | sh", "tools/x.sh"}, {"cat t*s/x.sh | sh", "tools/x.sh"}, {"cat $PWD/*.sh | sh", "run.sh"}, {"cat tools/*$1 | sh", "tools/x.sh"}, {"cat tools/$1 | sh", "tools/x.sh"},
	{`find tools -name '*.sh' -exec sh {} \;`, "tools/x.sh"}, {`find tools -exec sh {} \;`, "+tools/y.sh"}, {`find . -name '*.sh' -exec sh {} +`, "run.sh"}, {"run-parts tools", "tools/x.sh"}, {"run-parts ./tools/", "tools/x.sh"}, {"run-parts .", "+other"}, {"fd . tools -x sh", "tools/x.sh"},
	{"ls tools/* | xargs -n1 sh", "tools/x.sh"}, {"ls | xargs -n1 sh", "run.sh"}, {"git ls-files | xargs sh", "+other.sh"}, {"git ls-files tools | xargs -I@ sh @", "tools/x.sh"}, {"xargs -a list sh", "run.sh"}, {"xargs -a names sh", "names"}, {"cd tools && ls | xargs sh", "tools/x.sh"}, {"parallel sh ::: tools/*", "tools/x.sh"},

	{"make -sC tools x", "tools/Makefile"}, {"make -C tools x", "+tools/GNUmakefile"}, {"make --directory=tools x", "tools/Makefile"}, {"cd tools && make x", "tools/Makefile"}, {"make -s x", "Makefile"}, {"make -s x", "+GNUmakefile"}, {"/usr/bin/gmake x", "Makefile"}, {"make -f rules.mk", "rules.mk"}, {"nice -n 5 make x", "Makefile"},
	{"npm run -s clean", "package.json"}, {"npm --prefix tools run x", "+tools/package.json"}, {"npx x", "node_modules/.bin/x"}, {"npx x", "package.json"}, {"npx y", "+node_modules/.bin/y"}, {"pnpm exec x", "node_modules/.bin/x"}, {"yarn x", "node_modules/.bin/x"}, {"bunx x", "node_modules/.bin/x"}, {"just x", "+justfile"}, {"rake x", "+Rakefile"}, {"task x", "+Taskfile.yml"},
	{"node tools/x", "tools/x.js"}, {"node tools/y", "+tools/y.js"}, {"node new", "+new.js"}, {"node tools", "tools/index.js"}, {"node tools", "+tools/package.json"}, {"node .", "package.json"}, {"node .", "+index.js"}, {"node -r ./tools/x -e 1", "tools/x.js"}, {"node --require=./tools/x -e 1", "tools/x.js"}, {"NODE_OPTIONS='--require ./tools/x' npm run y", "tools/x.js"}, {"/usr/bin/node20 tools/x", "tools/x.js"},
	{"python3 tools", "tools/__main__.py"}, {"python3 tools", "+tools/y.py"}, {"python3 .", "+__main__.py"}, {"python3.12 -m tools", "tools/__main__.py"}, {"python3 -m tool", "+tool.py"}, {"python3 -m tools.x", "+tools/x.py"}, {"PYTHONPATH=tools python3 -m x", "+tools/x.py"}, {"PYTHONPATH=tools:lib python3 -m x", "+tools/x.py"},
	{"go run ./tools/x", "tools/x/main.go"}, {"go run ./tools/x", "+tools/x/other.go"}, {"go run .", "main.go"}, {"go run main.go", "main.go"}, {"go -C tools run ./x", "tools/x/main.go"},
	{"ruby -Itools -rx -e 1", "tools/x.rb"}, {"ruby -I tools -r x -e 1", "tools/x.rb"}, {"RUBYLIB=tools ruby -rx -e 1", "+tools/y.rb"}, {"perl -Itools -Mx -e 1", "+tools/x.pm"}, {"PERL5LIB=tools perl -Mx -e 1", "+tools/x.pm"}, {"php tools/y", "+tools/y"}, {"php -d include_path=tools -r 'include \"x\";'", "tools/x.sh"}, {"deno run tools/x.ts", "+tools/x.ts"}, {"bun tools/x", "tools/x.js"}, {"lua tools/y", "+tools/y"}, {"npm exec y", "+node_modules/.bin/y"},

	{"sh hook.sh", "+hook.sh"}, {"sh -x hook.sh a", "+hook.sh"}, {". hook.sh", "+hook.sh"}, {"sh <hook.sh", "+hook.sh"}, {"sh <tools/x.sh", "tools/x.sh"}, {"cat hook.sh | sh", "+hook.sh"}, {"cat run.sh | sh", "run.sh"}, {"exec sh hook.sh", "+hook.sh"}, {"time sh hook.sh", "+hook.sh"}, {"nice -n 5 sh hook.sh", "+hook.sh"}, {"env A=b sh hook.sh", "+hook.sh"}, {"env -i sh hook.sh", "+hook.sh"}, {"timeout 5 sh hook.sh", "+hook.sh"},
	{"tools/new.sh", "+tools/new.sh"}, {"[ -f .local.sh ] && . ./.local.sh; cat", "+.local.sh"}, {"f() { [ -e tools/new.sh ] && sh tools/new.sh; }; f", "+tools/new.sh"}, {`"$(cat which)"`, "which"}, {`eval "$(cat run.sh)"`, "run.sh"}, {"$UNSET_NAME_OF_A_TOOL/x.sh", "tools/x.sh"}, {"$UNSET_NAME_OF_A_TOOL/new.sh", "+tools/new.sh"}, {"eval $(cat list)", "run.sh"},
	{`sh -c "sh 'tools/my x.sh'"`, "tools/my x.sh"}, {`bash -c "bash -c \"tools/x.sh\""`, "tools/x.sh"}, {`bash -c "bash -c 'cat tools/{x,y}.sh | sh'"`, "+tools/y.sh"}, {`sh -c 'ls | xargs sh'`, "run.sh"}, {`env -S "tools/x.sh a"`, "tools/x.sh"}, {`env -S 'sh hook.sh'`, "+hook.sh"},
	{"sed -f tools/x.sed", "+tools/x.sed"}, {"awk -ftools/x.awk", "+tools/x.awk"}, {"awk -f x.awk", "+x.awk"}, {`t\ools/x.sh`, "tools/x.sh"}, {"PATH=tools:$PATH y.sh", "+tools/y.sh"}, {"PATH=$PWD/tools:$PATH y.sh", "+tools/y.sh"}, {"git -c core.hooksPath=tools commit", "+tools/pre-commit"}, {"git submodule foreach sh hook.sh", "+hook.sh"},
}

// The files that the programs of git's configuration run are protected, in every form that
// names them, and whether they exist or not.
func TestWhatProgramsOfGitRunIsProtected(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector finds nothing here, and slows it down")
	}
	t.Parallel()
	files := []string{
		".git/HEAD", "other.txt", "src/a.c", "tools/x.sh", "tools/my x.sh", "tools/Makefile", "tools/x.js", "tools/index.js", "tools/__main__.py", "tools/x/main.go", "tools/x.rb",
		"run.sh", "which", "list", "names", "Makefile", "rules.mk", "package.json", "node_modules/.bin/x", "main.go",
	}
	dir, home := project(t, files...), project(t)
	for _, c := range gitPrograms {
		value := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(c[0])
		write(t, filepath.Join(dir, ".git", "config"), "[filter \"x\"]\n\tclean = \""+value+"\"\n")
		file := strings.TrimPrefix(c[1], "+")
		for _, mode := range []event.Mode{event.ModeAuto, event.ModeAll} {
			if got := asks(&policy.Policy{Mode: mode}, policy.Paths{Workspace: dir, Home: home}, to(tools.Write, tools.Path, file)); !got.Protected {
				t.Errorf("%s: %s: %s can be changed without approval", mode, c[0], c[1])
			}
		}
	}
}

// Only what a program names is protected: not the whole workspace, and no directory that is
// only a subcommand of git.
func TestProgramsOfGitProtectOnlyWhatTheyName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ config, workspace, file string }{
		{"[filter \"x\"]\n\tclean = cat tools/*.sh | sh", "", "src/a.c"},
		{"[filter \"x\"]\n\tclean = make -C tools x", "", "src/Makefile"},
		{"[filter \"x\"]\n\tclean = sh hook.sh", "", "src/hook.sh"},
		{"[alias]\n\tlg = log --graph", "", "log/a"},
		{"[alias]\n\tx = \"!git config --get-regexp ^alias\"", "", "config/a"},
		{"[alias]\n\tx = \"!f() { git log --format=%h | head -n 5; }; f\"", "", "log/a"},
		{"[alias]\n\tx = \"!git diff | sed -e 's/^a.*b/c/' | sh -c 'cat; echo'\"", "", "src/a.c"},
		{"[gpg]\n\tformat = ssh", "", "ssh/a"},
		{"[alias]\n\tx = !cd app && sh run.sh", "app", "app/a"},
		{"[alias]\n\tx = !ls .git", "", "src/a.c"},
	} {
		dir, home := project(t, ".git/HEAD", "src/a.c", "log/a", "config/a", "ssh/a", "app/a", "app/run.sh", "tools/x.sh"), project(t)
		write(t, filepath.Join(dir, ".git", "config"), c.config+"\n")
		paths := policy.Paths{Workspace: filepath.Join(dir, c.workspace), Home: home}
		file := strings.TrimPrefix(strings.TrimPrefix(c.file, c.workspace), "/")
		if got := asks(&policy.Policy{Mode: event.ModeAuto}, paths, to(tools.Write, tools.Path, file)); got.Protected {
			t.Errorf("%q: %s is protected: %s", c.config, c.file, got.Warning)
		}
		for _, path := range paths.Fixed() {
			if path == paths.Workspace || path == filepath.Join(dir, c.file) || path == filepath.Join(dir, ".git") {
				t.Errorf("%q: commands cannot change %s", c.config, path)
			}
		}
	}
}

// The same holds for the user's own configuration, if the file exists or a shell runs it.
func TestWhatProgramsOfTheUsersGitRunIsProtected(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"cat tools/{x,y}.sh | sh", "+tools/y.sh"}, {"find tools -exec sh {} +", "tools/x.sh"}, {"run-parts tools", "+tools/y.sh"}, {"ls tools/* | xargs -n1 sh", "tools/x.sh"},
		{"make -C tools x", "tools/Makefile"}, {"make x", "Makefile"}, {"make x", "+GNUmakefile"}, {"npm run x", "package.json"}, {"npx x", "node_modules/.bin/x"}, {"node tools/x", "tools/x.js"}, {"sh hook.sh", "+hook.sh"},
		{"GIT_TOOLS=tools; $GIT_TOOLS/x.sh", "tools/x.sh"}, {"PYTHONPATH=tools python3 -m x", "+tools/x.py"}, {"PATH=tools:$PATH y.sh", "+tools/y.sh"},
	} {
		dir, home := project(t, ".git/HEAD", "tools/x.sh", "tools/x.js", "tools/Makefile", "Makefile", "package.json", "node_modules/.bin/x"), project(t)
		write(t, filepath.Join(home, ".gitconfig"), "[filter \"x\"]\n\tclean = \""+c[0]+"\"\n")
		if got := asks(&policy.Policy{Mode: event.ModeAuto}, policy.Paths{Workspace: dir, Home: home}, to(tools.Write, tools.Path, strings.TrimPrefix(c[1], "+"))); !got.Protected {
			t.Errorf("%s: %s can be changed without approval", c[0], c[1])
		}
	}
}
