package llm_test

import (
	"fmt"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/wire/wiretest"
)

const (
	wasCut  = "the server cut the answer off"
	opaque1 = `{"reasoning":{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"b3BhcXVl"}}`
)

// responsesAnswers returns the decoded recordings of the responses dialect.
func responsesAnswers() map[string]wiretest.Content {
	return map[string]wiretest.Content{
		"text.sse": {Messages: []string{"text Grüße, 世界! It works."}, Reason: llm.Stop, Usage: llm.Usage{Input: 20, Cached: 16, Output: 6}},
		"reasoning.sse": {Messages: []string{"thinking **Looking**\n\nThe flag is <lost>.", "thinking **Deciding**\n\nI read it. +" +
			`{"reasoning":{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"**Looking**\n\nThe flag is <lost>."},` +
			`{"type":"summary_text","text":"**Deciding**\n\nI read it."}],"encrypted_content":"b3BhcXVl"}}`,
			`call call_a read {"path":"a.go"}`}, Reason: llm.Calls, Usage: llm.Usage{Input: 40, Output: 12, Reasoning: 8}},
		"reasoning-silent.sse": {Messages: []string{"thinking  +" + opaque1, "text Yes."}, Reason: llm.Stop, Usage: llm.Usage{Input: 9, Output: 3, Reasoning: 2}},
		"reasoning-text.sse":   {Messages: []string{"thinking Let me look.", "text Done."}, Reason: llm.Stop},
		"parallel-calls.sse": {Messages: []string{"text I read them.", `call call_a read {"path":"a"}`, `call call_b list {}`, `call call_c search {"pattern":"c"}`},
			Reason: llm.Calls, Usage: llm.Usage{Input: 60, Output: 30}},
		"interleaved-calls.sse": {Messages: []string{`call call_a read {"path":"a"}`, `call call_b read {"path":"b"}`}, Reason: llm.Calls},
		"later-first.sse":       {Messages: []string{"thinking Hm.", "text So.", `call call_a read {}`}, Reason: llm.Calls},
		"phase.sse":             {Messages: []string{`text I look first. +{"phase":"commentary"}`, `call call_a read {}`}, Reason: llm.Calls},
		"raw-call.sse":          {Messages: []string{`call call_a read raw {path: "a"}`}, Reason: llm.Calls},
		"refusal.sse":           {Messages: []string{"text I cannot help with that."}, Reason: llm.Filtered, Usage: llm.Usage{Input: 8, Output: 4}},
		"content-filter.sse":    {Messages: []string{"text As for"}, Reason: llm.Filtered},
		"incomplete.sse":        {Messages: []string{"text There are three reasons: first (cut)"}, Reason: llm.Length, Usage: llm.Usage{Input: 20, Output: 5}},
		"incomplete-call.sse": {Messages: []string{`call call_a read {"path":"a"}`, `call call_b write raw {"path":"b","content":".." (cut)`},
			Reason: llm.Length},
		"incomplete-reasoning.sse": {Messages: []string{"thinking I think and (cut)"}, Reason: llm.Length},
		"strange-end.sse":          {Messages: []string{"text All fine."}, Kind: llm.ErrCut, Error: "the server ended the answer as incomplete: boredom"},
		"no-reason.sse":            {Messages: []string{"text All fine."}, Kind: llm.ErrCut, Error: "the server ended the answer as incomplete"},
		"empty.sse":                {Reason: llm.Stop, Usage: llm.Usage{Input: 5}},

		"failed.sse":            {Kind: llm.ErrOverloaded, Error: "The server had an error"},
		"failed-after-text.sse": {Messages: []string{"text The flag (cut)"}, Kind: llm.ErrRate, Error: "Rate limit reached. Please try again in 1.5s."},
		"failed-too-long.sse":   {Kind: llm.ErrTooLong, Error: "Your input exceeds the context window of this model."},
		"failed-prompt.sse":     {Kind: llm.ErrInvalid, Error: "This prompt is against the usage policy."},
		"failed-silent.sse":     {Kind: llm.ErrOverloaded, Error: "the request failed without a reason"},
		"cancelled.sse":         {Kind: llm.ErrOverloaded, Error: "the request failed without a reason"},
		"error-event.sse":       {Kind: llm.ErrOverloaded, Error: "Overloaded"},
		"error-nested.sse":      {Kind: llm.ErrQuota, Error: "You exceeded your current quota, see your plan"},
		"error-unnamed.sse":     {Messages: []string{"text The flag (cut)"}, Kind: llm.ErrOverloaded, Error: "Disconnected"},
		"error-bare.sse":        {Kind: llm.ErrOverloaded, Error: "upstream is gone"},

		"cut.sse":            {Messages: []string{"text The flag is parsed but never (cut)"}, Kind: llm.ErrCut, Error: wasCut},
		"cut-call.sse":       {Messages: []string{`call call_a edit raw {"path":"a.go","old":"x (cut)`}, Kind: llm.ErrCut, Error: wasCut},
		"cut-whole-call.sse": {Messages: []string{`call call_a edit {}`}, Kind: llm.ErrCut, Error: wasCut},
		"cut-done.sse":       {Messages: []string{"text The flag is parsed but never (cut)"}, Kind: llm.ErrCut, Error: wasCut},
		"cut-event.sse":      {Messages: []string{"text The flag is parsed  (cut)"}, Kind: llm.ErrCut, Error: wasCut},

		"no-deltas.sse": {Messages: []string{"text I look.", `call call_a read {"path":"a"}`, "thinking Hm.", "thinking Yes. +" + bound("Hm.", "Yes.")}, Reason: llm.Calls},
		"only-final.sse": {Messages: []string{"thinking Hm.", "thinking Yes. +" + bound("Hm.", "Yes."), "text I look.", `call call_a read {"path":"a"}`},
			Reason: llm.Calls, Usage: llm.Usage{Input: 11, Output: 5}},
		"response.json": {Messages: []string{"thinking Hm.", "thinking Yes. +" + bound("Hm.", "Yes."), "text I look.", `call call_a read {"path":"a"}`},
			Reason: llm.Calls, Usage: llm.Usage{Input: 11, Output: 5}},
		"arguments-at-once.sse": {Messages: []string{`call call_a read {"path":"a"}`}, Reason: llm.Calls},
		"not-announced.sse":     {Messages: []string{"text All fine.", `call call_a read {"path":"a"}`}, Reason: llm.Calls},
		"not-counted.sse":       {Messages: []string{"thinking Hm.", "text I look.", `call call_a read {"path":"a"}`, `call call_b read {"path":"b"}`}, Reason: llm.Calls},
		"no-state.sse":          {Messages: []string{"text All fine."}, Reason: llm.Stop},
		"odd-types.sse":         {Messages: []string{"text All fine."}, Reason: llm.Stop, Usage: llm.Usage{Input: 7, Output: 2}},
		"web-search.sse": {Messages: []string{
			`thinking  +{"reasoning":{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA+/secret=="}}`,
			`Web search: go 1.26 · 2 results +{"search":{"id":"ws_1","type":"web_search_call","status":"completed","action":{"type":"search","query":"go 1.26","sources":[{"type":"url","url":"https://go.dev/doc/go1.26"},{"type":"url","url":"https://example.org/b"}]}}}`,
			`Web search: b & <c> · failed: failed +{"search":{"id":"ws_2","type":"web_search_call","status":"failed","action":{"type":"search","query":"b & <c>"}}}`,
			"text Go 1.26 is out. [https://go.dev/doc/go1.26?utm_source=openai]",
		}, Reason: llm.Stop, Usage: llm.Usage{Input: 100, Output: 20, Searches: 2}},
		"chatter.sse":         {Messages: []string{`Web search +{"search":{"id":"ws_1","type":"web_search_call","status":"completed"}}`, "text All fine."}, Reason: llm.Stop},
		"malformed.sse":       {Messages: []string{"text All fine."}, Reason: llm.Stop},
		"arguments-twice.sse": {Messages: []string{`call call_a read {"path":"a"}`}, Reason: llm.Calls},
		"malformed-call.sse": {Messages: []string{`call call_a edit raw {"path":"a"`}, Kind: llm.ErrCut,
			Error: "a part of the answer could not be read, so its tool calls cannot be trusted"},
		"nothing.sse":       {Kind: llm.ErrProtocol, Error: "empty answer"},
		"only-done.sse":     {Kind: llm.ErrProtocol, Error: "the server did not answer in the format of the Responses API"},
		"other-dialect.sse": {Kind: llm.ErrProtocol, Error: "the server did not answer in the format of the Responses API"},
	}
}

// bound returns the opaque data of reasoning with a summary in parts.
func bound(parts ...string) string {
	var summary []string
	for _, p := range parts {
		summary = append(summary, fmt.Sprintf(`{"type":"summary_text","text":%q}`, p))
	}
	return strings.Replace(opaque1, "[]", "["+strings.Join(summary, ",")+"]", 1)
}
