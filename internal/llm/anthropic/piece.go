package anthropic

import (
	"strconv"

	"agent/internal/llm/wire"
)

// piece is what nearly every event of a stream holds: what a block goes on with.
type piece struct {
	index int
	delta delta
}

// scanPiece reads a payload that holds a piece of an answer, of thinking or of a
// call's input. All others are for parseEvent, which finds the same in one that
// holds it.
func scanPiece(data []byte) (piece, bool) {
	var p piece
	var typ, at []byte
	deltas := 0
	in := wire.NewScan(data)
	in.Object(func(name []byte) {
		switch string(name) {
		case "type":
			typ = in.Text(typ)
		case "index":
			at = in.Number()
		case "delta":
			deltas++
			p.delta = scanDelta(&in)
		default:
			in.Fail()
		}
	})
	if !in.Done() || string(typ) != "content_block_delta" || deltas != 1 {
		return p, false
	}
	index, err := strconv.Atoi(string(at))
	p.index = index
	return p, err == nil
}

func scanDelta(in *wire.Scan) delta {
	var typ, text, thinking, input []byte
	in.Object(func(name []byte) {
		switch string(name) {
		case "type":
			typ = in.Text(typ)
		case "text":
			text = in.Text(text)
		case "thinking":
			thinking = in.Text(thinking)
		case "partial_json":
			input = in.Text(input)
		default:
			in.Fail()
		}
	})
	return delta{Type: wire.Word(typ), Text: string(text), Thinking: string(thinking), Input: string(input)}
}
