package openai

import (
	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// piece is what nearly every event of a stream holds: a piece of the answer, of
// thinking or of a call's arguments, and nothing else that counts. It is good as
// long as the payload is.
type piece struct {
	content          []byte
	reasoningContent []byte
	reasoning        []byte
	listed           []detail // the one element of reasoning_details, if any
	arguments        []byte
	call             []byte // the index of the call that arguments belong to

	choices, deltas, lists, calls int // how often there is such a name
}

// scanPiece reads a payload that holds a piece. All others are for parseChunk,
// which finds the same in one that holds it.
func scanPiece(data []byte) (piece, bool) {
	var p piece
	in := wire.NewScan(data)
	in.Object(func(name []byte) {
		switch string(name) {
		case "id", "created", "model", "system_fingerprint", "service_tier", "provider", "obfuscation", "p":
			in.Skip()
		case "object":
			if string(in.Text(nil)) == "error" {
				in.Fail()
			}
		case "usage":
			in.Null()
		case "choices":
			p.choices++
			in.Only(func() { p.choice(&in) })
		default:
			in.Fail()
		}
	})
	return p, in.Done() && p.choices == 1 && p.deltas == 1 && p.lists <= 1 && p.calls <= 1
}

func (p *piece) choice(in *wire.Scan) {
	in.Object(func(name []byte) {
		switch string(name) {
		case "index":
			if string(in.Number()) != "0" {
				in.Fail()
			}
		case "finish_reason", "usage":
			in.Null()
		case "logprobs", "native_finish_reason", "stop_reason", "token_ids", "content_filter_results":
			in.Skip()
		case "delta":
			p.deltas++
			p.delta(in)
		default:
			in.Fail()
		}
	})
}

func (p *piece) delta(in *wire.Scan) {
	in.Object(func(name []byte) {
		switch string(name) {
		case "content":
			p.content = in.Text(p.content)
		case "reasoning_content":
			p.reasoningContent = in.Text(p.reasoningContent)
		case "reasoning":
			p.reasoning = in.Text(p.reasoning)
		case "tool_calls":
			p.calls++
			in.Only(func() { p.toolCall(in) })
		case "role":
			in.Skip()
		case "reasoning_details":
			p.lists++
			in.Only(func() { p.detail(in) })
		case "refusal", "function_call":
			in.Null()
		default:
			in.Fail()
		}
	})
}

// detail reads a piece of thinking that some servers send along. What is encrypted
// comes whole and is rare.
func (p *piece) detail(in *wire.Scan) {
	var d detail
	var typ, text, summary, signature []byte
	in.Object(func(name []byte) {
		switch string(name) {
		case "type":
			typ = in.Text(typ)
		case "text":
			text = in.Text(text)
		case "summary":
			summary = in.Text(summary)
		case "signature":
			signature = in.Text(signature)
		case "id":
			d.ID = in.Value()
		case "format":
			d.Format = in.Value()
		case "index":
			d.Index = in.Value()
		default:
			in.Fail()
		}
	})
	d.Type, d.Text, d.Summary, d.Signature = string(typ), string(text), string(summary), string(signature)
	p.listed = []detail{d}
}

// toolCall reads a piece of a call that has begun before.
func (p *piece) toolCall(in *wire.Scan) {
	in.Object(func(name []byte) {
		switch string(name) {
		case "index":
			if p.call != nil {
				in.Fail()
			}
			p.call = in.Number()
		case "type":
			in.Skip()
		case "id":
			if len(in.Text(nil)) > 0 {
				in.Fail()
			}
		case "function":
			in.Object(func(name []byte) {
				if string(name) != "arguments" {
					in.Fail()
					return
				}
				p.arguments = in.Text(p.arguments)
			})
		default:
			in.Fail()
		}
	})
	if p.call == nil || p.arguments == nil {
		in.Fail()
	}
}

// piece takes one.
func (d *decoder) piece(p *piece) {
	d.answered = true
	d.think(string(p.reasoningContent), string(p.reasoning), d.detailed(p.listed))
	d.say(llm.Assistant, string(p.content), "")
	if p.call != nil {
		d.call(&callPart{Index: wire.Word(p.call), Function: function{Arguments: wire.Word(p.arguments)}})
	}
}
