package text_test

import (
	"strings"
	"testing"

	"agent/internal/llm/text"
)

// A reply is a printed call only if it is one call in a known form and nothing else.
func TestPrinted(t *testing.T) {
	for reply, want := range map[string]string{
		`{"name": "read", "arguments": {"path": "a"}}`:                                                                       `read {"path": "a"}`,
		"\n{\"name\": \"read\", \"parameters\": {\"path\": \"a\"}}\n":                                                        `read {"path": "a"}`,
		`{"type":"function","id":"1","function":{"name":"read","arguments":"{\"path\":\"a\"}"}}`:                             `read {"path":"a"}`,
		"<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>":                                  `read {"path": "a"}`,
		"<tool_call>{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}":                                                  `read {"path": "a"}`,
		`<function=read>{"path": "a"}</function>`:                                                                            `read {"path": "a"}`,
		"<tool_call>\n<function=read>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>":                         `read {"path":"a"}`,
		"<function=read>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>":                                      `read {"path":"a"}`,
		"<function=list></function>":                                                                                         `list {}`,
		`<|channel|>commentary to=functions.read <|constrain|>json<|message|>{"path":"a"}<|call|>`:                           `read {"path":"a"}`,
		`<|start|>assistant<|channel|>commentary to=functions.read json<|message|>{"path":"a"}`:                              `read {"path":"a"}`,
		`<|start|>assistant to=functions.read<|channel|>commentary json<|message|>{"path":"a"}<|call|>`:                      `read {"path":"a"}`,
		`<|channel|>analysis<|message|>I look.<|end|><|start|>assistant<|channel|>commentary to=read<|message|>{"path":"a"}`: `read {"path":"a"}`,
		`assistantcommentary to=functions.read json{"path":"a"}`:                                                             `read {"path":"a"}`,
		`[TOOL_CALLS][{"name":"read","arguments":{"path":"a"}}]`:                                                             `read {"path":"a"}`,
		`<|python_tag|>{"name":"read","parameters":{"path":"a"}}`:                                                            `read {"path":"a"}`,

		"":                                 "",
		"{}":                               "",
		`{"name":""}`:                      "",
		`{"name":"read"}`:                  "",
		`{"name":"read","arguments":[]}`:   "",
		`{"name":"read","arguments":"x"}`:  "",
		`{"name":"read","arguments":null}`: "",
		`{"name":"read","version":"1","arguments":{}}`:                                                                           "",
		`{"name":"read","arguments":{},"parameters":{}}`:                                                                         "",
		`{"name":"read","arguments":{}}}`:                                                                                        "",
		`{"function":{"function":{"name":"read","arguments":{}}}}`:                                                               "",
		`{"name":"read","arguments":{}} {"name":"read","arguments":{}}`:                                                          "",
		`[{"name":"read","arguments":{}}]`:                                                                                       "",
		"I call it:\n{\"name\":\"read\",\"arguments\":{}}":                                                                       "",
		"```json\n{\"name\":\"read\",\"arguments\":{}}\n```":                                                                     "",
		"<tool_call>{\"name\":\"read\",\"arguments\":{}}</tool_call>\nDone.":                                                     "",
		"<tool_call>{\"name\":\"read\",\"arguments\":{}}</tool_call><tool_call>{\"name\":\"read\",\"arguments\":{}}</tool_call>": "",
		"<function=read>path</function>":                                                                                         "",
		"<function=read><parameter=path>a</parameter>":                                                                           "",
		"<function=read><parameter=path>a</parameter>b</function>":                                                               "",
		"<function=read><parameter=p>a</parameter><parameter=p>b</parameter></function>":                                         "",
		`<|channel|>final<|message|>{"path":"a"}`:                                                                                "",
		`commentary to=functions.read is how it is called`:                                                                       "",
	} {
		tool, arguments, ok := text.Printed(reply)
		got := strings.TrimSpace(tool + " " + arguments)
		if got != want || ok != (want != "") {
			t.Errorf("%s: got %q, %v, want %q", reply, got, ok, want)
		}
		for i := range reply {
			if ok && !text.MayBePrinted(reply[:i]) {
				t.Errorf("%s: %q is not recognized as its beginning", reply, reply[:i])
			}
		}
	}
	for _, reply := range []string{"Done.", "{\"answer\": 1}", "[1]", "<b>", "```"} {
		if text.MayBePrinted(reply) {
			t.Errorf("%s is held back", reply)
		}
	}
}

func FuzzPrinted(f *testing.F) {
	f.Add(`<tool_call>{"name":"read","arguments":{}}</tool_call>`)
	f.Add("<function=read><parameter=path>a</parameter></function>")
	f.Fuzz(func(t *testing.T, reply string) {
		if tool, _, ok := text.Printed(reply); ok && (tool == "" || !text.MayBePrinted(reply)) {
			t.Errorf("%q: %q", reply, tool)
		}
	})
}
