package text_test

import (
	"strings"
	"testing"

	"agent/internal/llm/text"
)

// A reply prints calls only if it is calls in a known form and nothing else.
func TestPrinted(t *testing.T) {
	const object, twice = `{"name": "read", "arguments": {"path": "a"}}`, `read {"path":"a"}; list {}`
	for reply, want := range map[string]string{
		object: `read {"path": "a"}`,
		"\n{\"name\": \"read\", \"parameters\": {\"path\": \"a\"}}\n":                                             `read {"path": "a"}`,
		`{"type":"function","id":"1","function":{"name":"read","arguments":"{\"path\":\"a\"}"}}`:                  `read {"path":"a"}`,
		`{"function":"read","arguments":{"path":"a"}}`:                                                            `read {"path":"a"}`,
		`{"tool":"read","args":{"path":"a"}}`:                                                                     `read {"path":"a"}`,
		`{"tool_name":"read","parameters":{"path":"a"}}`:                                                          `read {"path":"a"}`,
		`{"type":"tool_use","id":"1","name":"read","input":{"path":"a"}}`:                                         `read {"path":"a"}`,
		`[{"name":"read","arguments":{"path":"a"}}, {"name":"list","arguments":{}}]`:                              twice,
		`{"tool_calls":[{"name":"read","arguments":{"path":"a"}},{"function":{"name":"list","arguments":"{}"}}]}`: twice,
		"```json\n" + object + "\n```":                                                                            `read {"path": "a"}`,
		"```\n[" + object + "]\n```":                                                                              `read {"path": "a"}`,
		"~~~~ tool_call\n" + object + "~~~~\n":                                                                    `read {"path": "a"}`,
		"```xml\n<function=list></function>\n```":                                                                 `list {}`,
		"<tool_call>\n" + object + "\n</tool_call>":                                                               `read {"path": "a"}`,
		"<tool_call>" + object:                                                                                    `read {"path": "a"}`,
		"<tools>" + object + "</tools>":                                                                           `read {"path": "a"}`,
		`<function=read>{"path": "a"}</function>`:                                                                 `read {"path": "a"}`,
		"<tool_call>\n<function=read>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>":              `read {"path":"a"}`,
		"<function=read>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>":                           `read {"path":"a"}`,
		"<function=list></function>":                                                                              `list {}`,
		"<tool_call>{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}</tool_call>\n<tool_call>{\"name\":\"list\",\"arguments\":{}}</tool_call>": twice,
		"<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call><tool_call>list\n</tool_call>":                          twice,
		`<|channel|>commentary to=functions.read <|constrain|>json<|message|>{"path":"a"}<|call|>`:                                               `read {"path":"a"}`,
		`<|start|>assistant<|channel|>commentary to=functions.read json<|message|>{"path":"a"}`:                                                  `read {"path":"a"}`,
		`<|start|>assistant to=functions.read<|channel|>commentary json<|message|>{"path":"a"}<|call|>`:                                          `read {"path":"a"}`,
		`<|channel|>analysis<|message|>I look.<|end|><|start|>assistant<|channel|>commentary to=read<|message|>{"path":"a"}`:                     `read {"path":"a"}`,
		`assistantcommentary to=functions.read json{"path":"a"}`:                                                                                 `read {"path":"a"}`,
		`[TOOL_CALLS][{"name":"read","arguments":{"path":"a"}}]`:                                                                                 `read {"path":"a"}`,
		`[TOOL_CALLS] {"name":"read","arguments":{"path":"a"}}`:                                                                                  `read {"path":"a"}`,
		`[TOOL_CALLS]read[ARGS]{"path":"a"}[TOOL_CALLS]list[ARGS]{}`:                                                                             twice,
		`[TOOL_CALLS]read{"path":"a"}`:                                          `read {"path":"a"}`,
		`<|python_tag|>{"name":"read","parameters":{"path":"a"}}`:               `read {"path":"a"}`,
		`<|tool_call|>[{"name":"read","arguments":{"path":"a"}}]`:               `read {"path":"a"}`,
		`<|tool_call|>[{"name":"read","arguments":{"path":"a"}}]<|/tool_call|>`: `read {"path":"a"}`,
		`<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{"path":"a"}<|tool_call_end|>` +
			`<|tool_call_begin|>functions.list:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>`: twice,
		"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n```json\n{\"path\":\"a\"}\n```<｜tool▁call▁end｜>\n" +
			"<｜tool▁call▁begin｜>function<｜tool▁sep｜>list\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>": twice,
		`<｜tool▁call▁begin｜>read<｜tool▁sep｜>{"path":"a"}<｜tool▁call▁end｜>`:                                                                      `read {"path":"a"}`,
		`<minimax:tool_call><invoke name="read"><parameter name="path">a</parameter></invoke><invoke name="list"></invoke></minimax:tool_call>`: twice,
		"<function_calls>\n<invoke name=\"read\">\n<parameter name=\"path\">a</parameter>\n</invoke>\n</function_calls>":                        `read {"path":"a"}`,

		"":                                 "",
		"{}":                               "",
		`{"name":""}`:                      "",
		`{"name":"read"}`:                  "",
		`{"name":"read","arguments":[]}`:   "",
		`{"name":"read","arguments":"x"}`:  "",
		`{"name":"read","arguments":null}`: "",
		`{"name":"read","version":"1","arguments":{}}`:                                   "",
		`{"name":"read","arguments":{},"parameters":{}}`:                                 "",
		`{"name":"read","arguments":{}}}`:                                                "",
		`{"function":{"function":{"name":"read","arguments":{}}}}`:                       "",
		`{"name":"read","arguments":{}} {"name":"read","arguments":{}}`:                  "",
		"I call it:\n{\"name\":\"read\",\"arguments\":{}}":                               "",
		"<tool_call>{\"name\":\"read\",\"arguments\":{}}</tool_call>\nDone.":             "",
		"```json\n" + object + "\n```\nDone.":                                            "",
		"```go\n" + object + "\n```":                                                     "",
		"```json\n" + object:                                                             "",
		"[" + object + ", 1]":                                                            "",
		"[]":                                                                             "",
		`{"tool_calls":[]}`:                                                              "",
		`{"tool_calls":[` + object + `],"a":1}`:                                          "",
		`{"tool":"read","name":"read","args":{}}`:                                        "",
		`read[ARGS]{"path":"a"}`:                                                         "",
		`read {"path":"a"}`:                                                              "",
		`[read(path="a")]`:                                                               "",
		"<tool_call>read</arg_key></tool_call>":                                          "",
		`<invoke name="read"><parameter name="path">a</invoke>`:                          "",
		"<function=read>path</function>":                                                 "",
		"<function=read><parameter=path>a</parameter>":                                   "",
		"<function=read><parameter=path>a</parameter>b</function>":                       "",
		"<function=read><parameter=p>a</parameter><parameter=p>b</parameter></function>": "",
		`<|channel|>final<|message|>{"path":"a"}`:                                        "",
		`commentary to=functions.read is how it is called`:                               "",
	} {
		var got []string
		for _, c := range text.Printed(reply) {
			got = append(got, c.Tool+" "+c.Arguments)
		}
		if got := strings.Join(got, "; "); got != want {
			t.Errorf("%s: got %q, want %q", reply, got, want)
		}
		for i := range reply {
			if got != nil && !text.MayBePrinted(reply[:i]) {
				t.Errorf("%s: %q is not recognized as its beginning", reply, reply[:i])
			}
		}
	}
	for _, reply := range []string{"Done.", "{\"answer\": 1}", "[1]", "<b>", "```go", "```jsonc", "```json\n{\"a\"", "<think>"} {
		if text.MayBePrinted(reply) {
			t.Errorf("%s is held back", reply)
		}
	}
}

func FuzzPrinted(f *testing.F) {
	f.Add(`<tool_call>{"name":"read","arguments":{}}</tool_call>`)
	f.Add("<function=read><parameter=path>a</parameter></function>")
	f.Fuzz(func(t *testing.T, reply string) {
		if calls := text.Printed(reply); calls != nil && (calls[0].Tool == "" || !text.MayBePrinted(reply)) {
			t.Errorf("%q: %q", reply, calls)
		}
	})
}
