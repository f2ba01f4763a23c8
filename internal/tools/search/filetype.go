package search

import (
	"slices"
	"strings"
)

// fileTypes maps names of file types to file name patterns. A star at the
// beginning or end matches anything.
const fileTypes = `
asm *.s *.S *.asm
awk *.awk
bazel *.bzl *.bazel BUILD WORKSPACE
c *.c *.h
clojure,clj *.clj *.cljs *.cljc *.edn
cmake *.cmake CMakeLists.txt
conf *.conf *.cfg *.ini *.config
cpp,c++ *.cpp *.cc *.cxx *.C *.hpp *.hh *.hxx *.h *.H *.inl *.ipp
cs,csharp *.cs
css *.css *.scss
csv *.csv
cuda *.cu *.cuh
dart *.dart
diff *.diff *.patch
docker,dockerfile Dockerfile* *.dockerfile Containerfile
elixir *.ex *.exs *.eex *.heex
elm *.elm
erlang *.erl *.hrl
fortran *.f *.F *.f90 *.F90 *.f95
go,golang *.go
gomod go.mod go.sum go.work
gradle *.gradle *.gradle.kts
graphql *.graphql *.gql
groovy *.groovy *.gradle
h *.h *.hpp *.hh
haskell *.hs *.lhs
hcl *.hcl *.tf
html *.html *.htm
java *.java *.jsp *.properties
js,javascript *.js *.jsx *.mjs *.cjs *.vue
json *.json *.jsonc composer.lock
jsonl *.jsonl *.ndjson
jsx *.jsx
julia,jl *.jl
jupyter *.ipynb
kotlin *.kt *.kts
less *.less
lisp *.el *.lisp *.lsp *.scm *.rkt
lock *.lock package-lock.json pnpm-lock.yaml go.sum
log *.log
lua *.lua
make,makefile Makefile* makefile GNUmakefile *.mk *.mak
md,markdown *.md *.markdown *.mdx
nim *.nim *.nims *.nimble
nix *.nix
objc *.m *.mm *.h
ocaml *.ml *.mli
perl *.pl *.pm *.t *.PL
php *.php *.phtml
protobuf,proto *.proto
ps,powershell *.ps1 *.psm1 *.psd1
py,python *.py *.pyi
r *.r *.R *.Rmd
rst *.rst
ruby,rb *.rb *.gemspec *.rake Gemfile Rakefile config.ru
rust,rs *.rs
sass *.sass *.scss
scala *.scala *.sbt
sh,bash,shell,zsh *.sh *.bash *.zsh *.ksh .bashrc .bash_profile .profile .zshrc .zprofile .zshenv
solidity *.sol
sql *.sql *.psql
svelte *.svelte
svg *.svg
swift *.swift
tex *.tex *.sty *.cls *.bib
tf,terraform *.tf *.tfvars
thrift *.thrift
toml *.toml Cargo.lock
ts,typescript *.ts *.tsx *.mts *.cts
tsx *.tsx
txt,text *.txt
vim *.vim
vue *.vue
wasm *.wat *.wast
xml *.xml *.xsd *.xsl *.xslt
yaml,yml *.yaml *.yml
zig *.zig
`

// FileTypes returns the sorted names of the file types.
func FileTypes() []string {
	var all []string
	for row := range strings.Lines(fileTypes) {
		names, _, _ := strings.Cut(row, " ")
		all = append(all, strings.FieldsFunc(names, func(r rune) bool { return r == ',' || r == '\n' })...)
	}
	slices.Sort(all)
	return all
}

// OfType returns a predicate for the file names of a type, or nil if there is no
// such type.
func OfType(name string) func(file string) bool {
	for row := range strings.Lines(fileTypes) {
		names, files, _ := strings.Cut(row, " ")
		if files != "" && slices.Contains(strings.Split(names, ","), strings.ToLower(name)) {
			patterns := strings.Fields(files)
			return func(file string) bool {
				return slices.ContainsFunc(patterns, func(p string) bool { return namedLike(file, p) })
			}
		}
	}
	return nil
}

// namedLike reports whether file matches a pattern of fileTypes.
func namedLike(file, pattern string) bool {
	if end, ok := strings.CutPrefix(pattern, "*"); ok {
		return strings.HasSuffix(file, end)
	}
	if beginning, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(file, beginning)
	}
	return file == pattern
}
