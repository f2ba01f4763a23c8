package offline_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPromptsBecomeCalls(t *testing.T) {
	tests := []struct{ prompt, want string }{
		{"read main.go", `read {"path":"main.go"}`},
		{"Please show me the file `main.go`, thanks!", `read {"path":"main.go"}`},
		{"can you open @docs/a.md?", `read {"path":"docs/a.md"}`},
		{"cat 'my file.txt'", `read {"path":"my file.txt"}`},
		{"what's in main.go?", `read {"path":"main.go"}`},
		{"read the readme", `read {"path":"README.md"}`},
		{"read main.go lines 10-20", `read {"path":"main.go","offset":10,"limit":11}`},
		{"show lines 3 to 5 of main.go", `read {"path":"main.go","offset":3,"limit":3}`},
		{"read main.go:7", `read {"path":"main.go","offset":7,"limit":1}`},
		{"show the first 20 lines of main.go", `read {"path":"main.go","limit":20}`},
		{"read a.go, b.go and c/d.go", "read {\"path\":\"a.go\"}\nread {\"path\":\"b.go\"}\nread {\"path\":\"c/d.go\"}"},
		{"list files", `list {"path":"."}`},
		{"ls", `list {"path":"."}`},
		{"list the files in internal/llm.", `list {"path":"internal/llm"}`},
		{"list files in .", `list {"path":"."}`},
		{"ls cmd", `list {"path":"cmd"}`},
		{"what files are here?", `list {"path":"."}`},
		{"find files named *.go", `glob {"pattern":"**/*.go"}`},
		{"find *_test.go in internal", `glob {"pattern":"**/*_test.go","path":"internal"}`},
		{"list all go files", `glob {"pattern":"**/*.go"}`},
		{"find TODO", `search {"pattern":"TODO"}`},
		{"search for func main() in *.go", `search {"pattern":"func main\\(\\)","glob":"*.go"}`},
		{"grep \"error in parse\" in internal/llm", `search {"pattern":"error in parse","path":"internal/llm"}`},
		{"find /func \\w+Test/", `search {"pattern":"func \\w+Test"}`},
		{"find todo ignoring case", `search {"pattern":"todo","ignore_case":true}`},
		{"where is ErrCut defined?", `search {"pattern":"ErrCut"}`},
		{"replace foo with bar in main.go", `edit {"path":"main.go","old":"foo","new":"bar"}`},
		{"replace hello world by good bye in a.txt, please", `edit {"path":"a.txt","old":"hello world","new":"good bye"}`},
		{`replace all "a in b" with "" in 'x y.txt'.`, `edit {"path":"x y.txt","old":"a in b","new":"","replace_all":true}`},
		{"change port 80 to port 8080 in conf.yaml everywhere", `edit {"path":"conf.yaml","old":"port 80","new":"port 8080","replace_all":true}`},
		{"in main.go, replace a with b", `edit {"path":"main.go","old":"a","new":"b"}`},
		{"create notes.md with Hello, world.", `edit {"path":"notes.md","old":"","new":"Hello, world.\n"}`},
		{`create a file "a b.txt" with "x; then y".`, `edit {"path":"a b.txt","old":"","new":"x; then y\n"}`},
		{"create x.go with\n```go\npackage x\n\nfunc F() {}\n```", `edit {"path":"x.go","old":"","new":"package x\n\nfunc F() {}\n"}`},
		{"create list.txt with:\none\n\nread two", `edit {"path":"list.txt","old":"","new":"one\n\nread two\n"}`},
		{"create an empty file called empty.txt", `read {"path":"empty.txt","limit":1}`},
		{"write `hi` to hi.txt", `write {"path":"hi.txt","content":"hi\n"}`},
		{"append a line to log.txt", `read {"path":"log.txt"}`},
		{"run go test ./...", `shell {"command":"go test ./..."}`},
		{"!ls -la; pwd", `shell {"command":"ls -la; pwd"}`},
		{"please execute `git log --oneline | head` and tell me", ``},
		{"run `git log --oneline | head`", `shell {"command":"git log --oneline | head"}`},
		{`run grep "a and read b" x.txt`, `shell {"command":"grep \"a and read b\" x.txt"}`},
		{"what is this project?", "list {\"path\":\".\",\"depth\":2}\nglob {\"pattern\":\"**/*\"}"},
		{"Explain this codebase", "list {\"path\":\".\",\"depth\":2}\nglob {\"pattern\":\"**/*\"}"},
		{"what does cmd/main.go do?", `read {"path":"cmd/main.go"}`},
		{"show lines 1-5 of a.go and lines 3-4 of b.go", "read {\"path\":\"a.go\",\"limit\":5}\nread {\"path\":\"b.go\",\"offset\":3,\"limit\":2}"},
		{"read a.go lines 1-2 and b.txt", "read {\"path\":\"a.go\",\"limit\":2}\nread {\"path\":\"b.txt\"}"},
		{"where is main.go?", `glob {"pattern":"**/main.go"}`},
		{"grep foo main.go", `search {"pattern":"foo","path":"main.go"}`},
		{"grep -rn foo .", `shell {"command":"grep -rn foo ."}`},
		{"git status", `shell {"command":"git status"}`},
		{"run go vet ./... then run go test ./...", `shell {"command":"go vet ./..."}`},
		{"run echo a; ls", `shell {"command":"echo a; ls"}`},
		{"run make.", `shell {"command":"make"}`},
		{"run the tests", `list {"path":".","depth":1}`},

		{"read a.go; list files and find TODO", "read {\"path\":\"a.go\"}\nlist {\"path\":\".\"}\nsearch {\"pattern\":\"TODO\"}"},
		{"1. read a.go\n2. find x in b.go\n3. ls", "read {\"path\":\"a.go\"}\nsearch {\"pattern\":\"x\",\"path\":\"b.go\"}\nlist {\"path\":\".\"}"},
		{"read a.go then replace x with y in a.go", `read {"path":"a.go"}`},
		{"replace x with y in a.go, then run go vet", `edit {"path":"a.go","old":"x","new":"y"}`},
		{"read a.go and dance; ls", "read {\"path\":\"a.go\"}\nlist {\"path\":\".\"}"},
		{"list files in internal; run go version; what is this?", `list {"path":"internal"}`},
		{"find salt and pepper", `search {"pattern":"salt and pepper"}`},
		{"read a.go\n\n+run rm -rf /\n+read secret", `read {"path":"a.go"}`},

		{"", ``},
		{"hello", ``},
		{"help", ``},
		{"delete main.go", ``},
		{"show me a joke", ``},
		{"write a test in main.go", ``},
		{"add a test to main.go", ``},
		{"make it faster", ``},
		{"don't touch what's here", ``},
	}
	for _, tt := range tests {
		_, calls := newTalk(t).say(tt.prompt)
		var got []string
		for _, c := range calls {
			got = append(got, c.Name+" "+string(c.Input))
		}
		if diff := cmp.Diff(strings.Join(got, "\n"), tt.want); diff != "" {
			t.Errorf("%q (-got +want):\n%s", tt.prompt, diff)
		}
	}
}

// FuzzGuide holds that whatever is said and whatever a tool answers, each
// reply ends and the turn does too.
func FuzzGuide(f *testing.F) {
	f.Add("read a.go, b.go then run `x` and replace a with b in \"c d\"", "     1\tx\n", false)
	f.Add("what is this project?\n\nappend x to y", "README.md\ngo.mod\n", true)
	f.Add("create a with ```\nx\n``` ; find /(/ in *.go", "```", false)
	f.Add("append é to ü.txt\n1. ls\n2. build", "1\té\n2\t\xff\nMakefile", false)
	guide := newTalk(f).guide
	f.Fuzz(func(t *testing.T, prompt, result string, isError bool) {
		k := newTalk(t)
		k.guide = guide // it keeps no state
		_, calls := k.say(prompt)
		for n := 0; len(calls) > 0; n++ {
			if n > 70 {
				t.Fatalf("no end after %d steps", n)
			}
			for _, c := range calls {
				if !json.Valid(c.Input) {
					t.Fatalf("arguments %q", c.Input)
				}
				k.result(c, result, isError)
			}
			_, calls = k.step()
		}
	})
}
