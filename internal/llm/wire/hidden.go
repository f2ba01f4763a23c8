package wire

import "agent/internal/llm"

const (
	// maxHidden is how many bytes a decoder keeps of one answer besides what it
	// yields: signatures, encrypted reasoning, extras of calls.
	maxHidden = 4 << 20
	// maxHiddenParts is how many parts of one answer a decoder keeps track of.
	maxHiddenParts = 4096
)

// Hidden counts what a decoder keeps of an answer without yielding it at once,
// which no limit of a reply can see. The zero value counts from 0.
type Hidden struct{ size, parts int }

// Part counts another part, of so many bytes. Its error says that there is too
// much: the answer is not worth reading on.
func (h *Hidden) Part(bytes int) error {
	h.parts++
	return h.More(bytes)
}

// More counts more bytes of a part.
func (h *Hidden) More(bytes int) error {
	h.size += bytes
	if h.size > maxHidden || h.parts > maxHiddenParts {
		return &llm.Error{Kind: llm.ErrProtocol, Message: "the answer holds more parts, or more hidden data, than a reply may have"}
	}
	return nil
}
