package event

// CompactStep is the kind of change that a Compacted makes.
type CompactStep string

// The steps of a compaction, the mildest first.
const (
	CompactPrompts    CompactStep = "prompts"     // messages of the user longer than Limit bytes, without the latest
	CompactResults    CompactStep = "results"     // long results, and those of files that were read again or changed later
	CompactAllResults CompactStep = "all_results" // all results
	CompactList       CompactStep = "list"        // calls and results become a list of what was done
	CompactSummary    CompactStep = "summary"     // everything but the messages of the user becomes Text
	CompactAnswers    CompactStep = "answers"     // long texts of the model
	CompactMerge      CompactStep = "merge"       // messages of the user become one of about Limit bytes, without the latest
	CompactLatest     CompactStep = "latest"      // the latest messages of the user, if they are longer than Limit bytes
)

// The other steps.
const (
	CompactImages CompactStep = "images" // images of the last Limit messages, which the provider rejected
	CompactEdit   CompactStep = "edit"   // Text replaces that of the last summary
	CompactUndo   CompactStep = "undo"   // undoes the last summary and what was shortened after it
	CompactPin    CompactStep = "pin"    // Item is not shortened from now on
	CompactUnpin  CompactStep = "unpin"  // Item is no longer pinned; without an Item, none is
	CompactDrop   CompactStep = "drop"   // Item is shortened as far as possible
)

// ContextItem is a part of what the model is sent.
type ContextItem struct {
	ID     string   `json:"id,omitempty"` // empty if it cannot be changed
	Kind   ItemKind `json:"kind"`
	Title  string   `json:"title"`
	Text   string   `json:"text,omitempty"` // its beginning
	Tokens int      `json:"tokens"`         // estimated
	Pinned bool     `json:"pinned,omitempty"`
}

// ItemKind is the kind of a ContextItem.
type ItemKind string

// The kinds of items.
const (
	SystemItem       ItemKind = "system"
	ToolsItem        ItemKind = "tools"
	InstructionsItem ItemKind = "instructions"
	SummaryItem      ItemKind = "summary"
	NoteItem         ItemKind = "note" // of a compaction
	PromptItem       ItemKind = "message"
	AnswerItem       ItemKind = "answer"
	CallItem         ItemKind = "call"
	ResultItem       ItemKind = "result"
	OtherItems       ItemKind = "other"
)
