package responses

import (
	"strconv"
	"strings"

	"agent/internal/llm/wire"
)

// scanPiece reads an event of the kind that nearly all of a stream are: a piece
// of an answer, of thinking or of a call's arguments. All others are for parse,
// which finds the same in one of those.
func scanPiece(data []byte) (event, bool) {
	var e event
	var typ, said []byte
	in := wire.NewScan(data)
	number := func(to *int) {
		n, err := strconv.Atoi(string(in.Number()))
		if *to = n; err != nil {
			in.Fail()
		}
	}
	in.Object(func(name []byte) {
		switch string(name) {
		case "type":
			typ = in.Text(typ)
		case "delta":
			said = in.Text(said)
		case "output_index":
			number(&e.At)
		case "summary_index":
			number(&e.Summary)
		case "content_index":
			number(&e.Content)
		case "item_id", "sequence_number", "logprobs", "obfuscation":
			in.Skip()
		default:
			in.Fail()
		}
	})
	e.Type, e.Delta = string(typ), wire.Word(said)
	return e, in.Done() && strings.HasSuffix(e.Type, ".delta")
}
