package llm_test

import (
	"agent/internal/llm"
	"agent/internal/llm/wire/wiretest"
)

// openaiAnswers returns the decoded recordings of the openai dialect.
func openaiAnswers() map[string]wiretest.Content {
	return map[string]wiretest.Content{
		"text.sse": {Messages: []string{"text Grüße, 世界! It works."}, Reason: llm.Stop, Usage: llm.Usage{Input: 20, Output: 6}},
		"thinking.sse": {Messages: []string{"thinking The flag is lost.", "text Fixed."}, Reason: llm.Stop,
			Usage: llm.Usage{Input: 30, Cached: 16, Output: 9, Reasoning: 4}},
		"reasoning.sse": {Messages: []string{"thinking Let me look.", "text Done."}, Reason: llm.Stop},
		"reasoning-details.sse": {Messages: []string{
			`thinking Two steps. +{"reasoning_details":[{"type":"reasoning.text","format":"anthropic-claude-v1","index":0,"text":"Two steps.","signature":"c2lnbmVk"}]}`,
			`call call_a read {"path":"a.go"}`}, Reason: llm.Calls, Usage: llm.Usage{Input: 40, Output: 12}},
		"reasoning-encrypted.sse": {Messages: []string{"text Yes.",
			`thinking  +{"reasoning_details":[{"type":"reasoning.encrypted","id":"rs_1","format":"openai-responses-v1","index":0,"data":"b3BhcXVl"}]}`}, Reason: llm.Stop},
		"content-list.sse": {Messages: []string{"thinking Hm, yes.", "text The answer is 4."}, Reason: llm.Stop},
		"call.sse":         {Messages: []string{"text I read it.", `call call_a read {"path":"main.go"}`}, Reason: llm.Calls, Usage: llm.Usage{Input: 50, Output: 20}},
		"parallel-calls.sse": {Messages: []string{`call call_a read {"path":"config.go"}`, `call call_b read {"path":"main.go"}`,
			`call call_c search {"pattern":"Timeout"}`}, Reason: llm.Calls, Usage: llm.Usage{Input: 60, Output: 30}},
		"interleaved-calls.sse": {Messages: []string{`call call_a read {"path":"a"}`, `call call_b list {"path":"b"}`,
			`call call_c search {"pattern":"c"}`}, Reason: llm.Calls},
		"call-without-index.sse": {Messages: []string{`call call_a read {"path":"a"}`, `call call_b read {"path":"b"}`}, Reason: llm.Calls},
		"same-index.sse":         {Messages: []string{`call call_a read {"path":"a"}`, `call call_b read {"path":"b"}`}, Reason: llm.Calls},
		"same-id.sse":            {Messages: []string{`call call_a read {"path":"a"}`, `call call_a_* read {"path":"b"}`}, Reason: llm.Calls},
		"call-arguments.sse": {Messages: []string{`call call_a list {}`, `call call_b list {"path":"b"}`,
			`call 3 list raw ["c"]`, `call call_d list {}`}, Reason: llm.Calls},
		"call-signature.sse":      {Messages: []string{`call call_a read {"path":"a"} +{"extra_content":{"google":{"thought_signature":"c2ln"}}}`}, Reason: llm.Calls},
		"empty-function-call.sse": {Messages: []string{"text I read.", `call call_a read {"path":"a"}`}, Reason: llm.Calls},
		"call-no-finish.sse":      {Messages: []string{`call call_a read {"path":"a"}`}, Reason: llm.Unknown, Usage: llm.Usage{Input: 9, Output: 2}},
		"usage-no-done.sse":       {Messages: []string{`call call_a read {"path":"a"}`}, Reason: llm.Unknown, Usage: llm.Usage{Input: 9, Output: 2}},
		"gave-up.sse":             {Messages: []string{"text I read (cut)"}, Kind: llm.ErrOverloaded, Error: `the provider stopped the answer ("insufficient_system_resource")`},
		"old-function-call.sse":   {Messages: []string{`call call_* read {"path":"a"}`}, Reason: llm.Calls},
		"cut.sse":                 {Messages: []string{"text The flag is parsed but never (cut)"}, Kind: llm.ErrCut, Error: "the server cut the answer off"},
		"cut-call.sse": {Messages: []string{"text I edit it.", `call call_a edit raw {"path":"a.go","old":"x (cut)`}, Kind: llm.ErrCut,
			Error: "the server cut the answer off"},
		"cut-event.sse": {Messages: []string{"text Half of (cut)"}, Kind: llm.ErrCut, Error: "the server cut the answer off"},
		"length.sse":    {Messages: []string{"text There are three reasons: first (cut)"}, Reason: llm.Length, Usage: llm.Usage{Input: 20, Output: 5}},
		"length-call.sse": {Messages: []string{`call call_a read {"path":"a"}`, `call call_b write raw {"path":"b","content":".. (cut)`},
			Reason: llm.Length},
		"refusal.sse":        {Messages: []string{"text I cannot help with that."}, Reason: llm.Filtered},
		"content-filter.sse": {Messages: []string{"text As for"}, Reason: llm.Filtered},
		"no-done.sse":        {Messages: []string{"text All fine."}, Reason: llm.Stop, Usage: llm.Usage{Input: 7, Output: 2}},
		"no-finish.sse":      {Messages: []string{"text All fine."}, Reason: llm.Unknown},
		"strange-finish.sse": {Messages: []string{"text All fine."}, Reason: llm.Unknown},
		"empty.sse":          {Reason: llm.Stop, Usage: llm.Usage{Input: 5}},
		"nothing.sse":        {Kind: llm.ErrProtocol, Error: "empty answer"},
		"only-done.sse":      {Kind: llm.ErrProtocol, Error: "empty answer"},
		"error-first.sse":    {Kind: llm.ErrOverloaded, Error: "The server is overloaded"},
		"error-event.sse":    {Kind: llm.ErrOverloaded, Error: "Overloaded"},
		"error-after-text.sse": {Messages: []string{"text The flag (cut)"}, Kind: llm.ErrOverloaded,
			Error: "Provider disconnected"},
		"error-too-long.sse": {Kind: llm.ErrTooLong, Error: "This model's maximum context length is 8192 tokens."},
		"malformed.sse":      {Messages: []string{"text All fine."}, Reason: llm.Stop},
		"malformed-call.sse": {Messages: []string{`call call_a edit {"path":"a","new":"y"} (cut)`}, Kind: llm.ErrCut,
			Error: "a part of the answer could not be read, so its tool calls cannot be trusted"},
		"framing.sse":      {Messages: []string{"text All fine."}, Reason: llm.Stop},
		"odd-types.sse":    {Messages: []string{"text All fine."}, Reason: llm.Stop},
		"groq-usage.sse":   {Messages: []string{"text All fine."}, Reason: llm.Stop, Usage: llm.Usage{Input: 9, Output: 2}},
		"after-finish.sse": {Messages: []string{"text One two"}, Reason: llm.Stop},
		"bad-utf8.sse":     {Messages: []string{"text a\ufffdb"}, Reason: llm.Stop},
		"completion.json": {Messages: []string{"thinking Hm.", "text I look.", `call call_a read {"path":"a"}`}, Reason: llm.Calls,
			Usage: llm.Usage{Input: 11, Output: 5}},
		"login.html": {Kind: llm.ErrProtocol, Error: "the server sent an HTML page: Sign in"},
	}
}
