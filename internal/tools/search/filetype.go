package search

import (
	"maps"
	"slices"
	"strings"
)

// FileTypes returns the names of the types of file, in order.
func FileTypes() []string { return slices.Sorted(maps.Keys(fileTypes())) }

// OfType returns what tells by its name whether a file is of the type called
// name, or nil if there is no such type.
func OfType(name string) func(file string) bool {
	names := strings.Fields(fileTypes()[strings.ToLower(name)])
	if len(names) == 0 {
		return nil
	}
	return func(file string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return namedLike(file, n) })
	}
}

// namedLike reports whether file is n, in which a star at the beginning or at
// the end stands for anything.
func namedLike(file, n string) bool {
	if end, ok := strings.CutPrefix(n, "*"); ok {
		return strings.HasSuffix(file, end)
	}
	if beginning, ok := strings.CutSuffix(n, "*"); ok {
		return strings.HasPrefix(file, beginning)
	}
	return file == n
}

// fileTypes holds, by the names that programmers give to types of file, how such
// files are called.
func fileTypes() map[string]string {
	types := map[string]string{
		"asm":      "*.s *.S *.asm",
		"awk":      "*.awk",
		"bazel":    "*.bzl *.bazel BUILD WORKSPACE",
		"c":        "*.c *.h",
		"clojure":  "*.clj *.cljs *.cljc *.edn",
		"cmake":    "*.cmake CMakeLists.txt",
		"conf":     "*.conf *.cfg *.ini *.config",
		"cpp":      "*.cpp *.cc *.cxx *.C *.hpp *.hh *.hxx *.h *.H *.inl *.ipp",
		"cs":       "*.cs",
		"css":      "*.css *.scss",
		"csv":      "*.csv",
		"cuda":     "*.cu *.cuh",
		"dart":     "*.dart",
		"diff":     "*.diff *.patch",
		"docker":   "Dockerfile* *.dockerfile Containerfile",
		"elixir":   "*.ex *.exs *.eex *.heex",
		"elm":      "*.elm",
		"erlang":   "*.erl *.hrl",
		"fortran":  "*.f *.F *.f90 *.F90 *.f95",
		"go":       "*.go",
		"gomod":    "go.mod go.sum go.work",
		"gradle":   "*.gradle *.gradle.kts",
		"graphql":  "*.graphql *.gql",
		"groovy":   "*.groovy *.gradle",
		"haskell":  "*.hs *.lhs",
		"hcl":      "*.hcl *.tf",
		"html":     "*.html *.htm",
		"java":     "*.java *.jsp *.properties",
		"js":       "*.js *.jsx *.mjs *.cjs *.vue",
		"json":     "*.json *.jsonc composer.lock",
		"jsonl":    "*.jsonl *.ndjson",
		"julia":    "*.jl",
		"jupyter":  "*.ipynb",
		"kotlin":   "*.kt *.kts",
		"less":     "*.less",
		"lisp":     "*.el *.lisp *.lsp *.scm *.rkt",
		"lock":     "*.lock package-lock.json pnpm-lock.yaml go.sum",
		"log":      "*.log",
		"lua":      "*.lua",
		"make":     "Makefile* makefile GNUmakefile *.mk *.mak",
		"md":       "*.md *.markdown *.mdx",
		"nim":      "*.nim *.nims *.nimble",
		"nix":      "*.nix",
		"objc":     "*.m *.mm *.h",
		"ocaml":    "*.ml *.mli",
		"perl":     "*.pl *.pm *.t *.PL",
		"php":      "*.php *.phtml",
		"protobuf": "*.proto",
		"ps":       "*.ps1 *.psm1 *.psd1",
		"py":       "*.py *.pyi",
		"r":        "*.r *.R *.Rmd",
		"rst":      "*.rst",
		"ruby":     "*.rb *.gemspec *.rake Gemfile Rakefile config.ru",
		"rust":     "*.rs",
		"sass":     "*.sass *.scss",
		"scala":    "*.scala *.sbt",
		"sh":       "*.sh *.bash *.zsh *.ksh .bashrc .bash_profile .profile .zshrc .zprofile .zshenv",
		"solidity": "*.sol",
		"sql":      "*.sql *.psql",
		"svelte":   "*.svelte",
		"svg":      "*.svg",
		"swift":    "*.swift",
		"tex":      "*.tex *.sty *.cls *.bib",
		"tf":       "*.tf *.tfvars",
		"thrift":   "*.thrift",
		"toml":     "*.toml Cargo.lock",
		"ts":       "*.ts *.tsx *.mts *.cts",
		"txt":      "*.txt",
		"vim":      "*.vim",
		"vue":      "*.vue",
		"wasm":     "*.wat *.wast",
		"xml":      "*.xml *.xsd *.xsl *.xslt",
		"yaml":     "*.yaml *.yml",
		"zig":      "*.zig",
	}
	for other, name := range map[string]string{
		"bash": "sh", "c++": "cpp", "clj": "clojure", "csharp": "cs", "dockerfile": "docker", "golang": "go",
		"javascript": "js", "jl": "julia", "makefile": "make", "markdown": "md", "powershell": "ps",
		"proto": "protobuf", "python": "py", "rb": "ruby", "rs": "rust", "shell": "sh", "terraform": "tf",
		"text": "txt", "typescript": "ts", "yml": "yaml", "zsh": "sh",
	} {
		types[other] = types[name]
	}
	types["jsx"], types["tsx"], types["h"] = "*.jsx", "*.tsx", "*.h *.hpp *.hh"
	return types
}
