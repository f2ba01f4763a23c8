package wire

import (
	"bytes"
	"encoding/json"
	"testing"
)

// flat reads an object that holds "text" and "list", an array of one object with
// a "number", and anything else that Scan can skip.
func flat(data []byte) (text, number string, ok bool) {
	var said, digits []byte
	in := NewScan(data)
	in.Object(func(name []byte) {
		switch string(name) {
		case "text":
			said = in.Text(said)
		case "list":
			if digits != nil {
				in.Fail()
			}
			in.Only(func() {
				in.Object(func(name []byte) {
					if string(name) != "number" || digits != nil {
						in.Fail()
					}
					digits = in.Number()
				})
			})
		default:
			if bytes.EqualFold(name, []byte("text")) || bytes.EqualFold(name, []byte("list")) {
				in.Fail() // encoding/json takes it for the same name
				return
			}
			in.Skip()
		}
	})
	return string(said), string(digits), in.Done()
}

func TestScan(t *testing.T) {
	for data, want := range map[string]struct {
		text, number string
		ok           bool
	}{
		`{}`:                                   {ok: true},
		`{"text":"a"}`:                         {text: "a", ok: true},
		` { "text" : "a" , "b" : 1 } `:         {text: "a", ok: true},
		`{"text":"\"\\\u00e9\n"}`:              {text: "\"\\é\n", ok: true},
		`{"text":null,"list":[{"number":12}]}`: {number: "12", ok: true},
		`{"a":"x","b":0,"c":true,"d":false,"e":null,"f":[],"g":{},"h":[ ]}`: {ok: true},
		"{\"text\":\"\xff\"}":         {text: "\ufffd", ok: true},
		`{"text":"a","text":"b"}`:     {},
		`{"text":"\x"}`:               {},
		"{\"text\":\"\n\"}":           {},
		`{"text":"a"`:                 {},
		`{"text":"a",}`:               {},
		`{"text":"a"}}`:               {},
		`{"text":"a"} b`:              {},
		"{\"text\":\"a\"}\x00":        {},
		`{"text":1}`:                  {},
		`{"b":01}`:                    {},
		`{"b":1.5}`:                   {},
		`{"b":-1}`:                    {},
		`{"b":nul}`:                   {},
		`{"b":[1]}`:                   {},
		`{"b":"\n"}`:                  {},
		`{"\u0062":1}`:                {},
		`{"list":[{"number":1},{}]}`:  {},
		`{"list":[]}`:                 {ok: true},
		`{"list": null }`:             {ok: true},
		`{"list":[}`:                  {},
		`{"list":n}`:                  {},
		`{"list":[{"number":1}],"b"}`: {},
		``:                            {},
		`[]`:                          {},
	} {
		text, number, ok := flat([]byte(data))
		if ok != want.ok || ok && (text != want.text || number != want.number) {
			t.Errorf("%s: got %q, %q, %v, want %+v", data, text, number, ok, want)
		}
	}
}

// What Scan reads, encoding/json reads the same way.
func FuzzScan(f *testing.F) {
	f.Add([]byte(`{"text":"a\n\u00e9","list":[{"number":1}],"b":[],"c":{},"d":12,"e":null}`))
	f.Add([]byte("{ \"text\" :\t\"\xff\" , \"b\":\"c\"}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		text, number, ok := flat(data)
		if !ok {
			return
		}
		var want struct {
			Text string
			List []struct{ Number json.RawMessage }
		}
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		digits := ""
		if len(want.List) > 0 {
			digits = string(want.List[0].Number)
		}
		if text != want.Text || number != digits {
			t.Errorf("%q: got %q and %q, want %q and %q", data, text, number, want.Text, digits)
		}
	})
}
