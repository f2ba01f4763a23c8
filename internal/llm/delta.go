package llm

// Delta is a streamed piece of a reply: TextDelta, ThinkingDelta, CallDelta,
// SearchDelta, BlockEnd or Finish.
//
// Index identifies a message within the reply. Messages are ordered by the
// first appearance of their index.
type Delta interface{ isDelta() }

// TextDelta is a piece of the answer.
type TextDelta struct {
	Index int
	Text  string
}

// ThinkingDelta is a piece of the model's reasoning.
type ThinkingDelta struct {
	Index int
	Text  string
}

// CallDelta is a piece of a tool call. The first non-empty ID counts. Args are
// concatenated, and so are the parts of a Name before them; a Name may also repeat
// what came before.
type CallDelta struct {
	Index int
	ID    string
	Name  string
	Args  string
}

// SearchDelta describes the state of a web search that the provider runs itself. It
// replaces the earlier ones at Index.
type SearchDelta struct {
	Index  int
	Search Search
}

// BlockEnd marks the message at Index as complete. Dialects that do not know
// leave it out; Finish completes every open message.
type BlockEnd struct {
	Index   int
	Opaque  *Opaque  // kept with the message, if any
	Sources []Source // that the message cites
}

// Finish is the last delta of a reply that ended without an error.
type Finish struct {
	Reason Reason
	Raw    string // the provider's own word for Reason
	Usage  Usage
	Lost   int // events of the stream that could not be read and were skipped
}

// Reason is why a reply ended.
type Reason string

// The reasons. Calls are run only after Stop and Calls.
const (
	Stop     Reason = "stop"
	Calls    Reason = "tool_calls"
	Length   Reason = "length"         // the model's or the request's token limit
	Filtered Reason = "content_filter" // the provider blocked the answer, or the model refused
	Paused   Reason = "paused"         // the model continues with the next request
	Unknown  Reason = "unknown"        // an unknown word, or none
)

// Usage counts tokens as the provider reported them; zero means not reported.
type Usage struct {
	Input      int `json:"input,omitempty"`       // all input, including cached
	Cached     int `json:"cached,omitempty"`      // the part of Input read from a cache
	CacheWrite int `json:"cache_write,omitempty"` // the part of Input written to a cache
	Output     int `json:"output,omitempty"`      // all output, including reasoning
	Reasoning  int `json:"reasoning,omitempty"`   // the part of Output that was reasoning
	Searches   int `json:"searches,omitempty"`    // web searches that the provider ran
}

// Total returns the tokens of input and output.
func (u Usage) Total() int { return u.Input + u.Output }

// Add returns the sum of u and v.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input:      u.Input + v.Input,
		Cached:     u.Cached + v.Cached,
		CacheWrite: u.CacheWrite + v.CacheWrite,
		Output:     u.Output + v.Output,
		Reasoning:  u.Reasoning + v.Reasoning,
		Searches:   u.Searches + v.Searches,
	}
}

func (TextDelta) isDelta()     {}
func (ThinkingDelta) isDelta() {}
func (CallDelta) isDelta()     {}
func (SearchDelta) isDelta()   {}
func (BlockEnd) isDelta()      {}
func (Finish) isDelta()        {}
