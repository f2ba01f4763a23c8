package llm_test

import (
	"agent/internal/llm"
	"agent/internal/llm/wire/wiretest"
)

// anthropicAnswers returns the decoded recordings of the anthropic dialect.
func anthropicAnswers() map[string]wiretest.Content {
	const cut = "the server cut the answer off"
	return map[string]wiretest.Content{
		"text.sse": {Messages: []string{"text Grüße, 世界! It works."}, Reason: llm.Stop, Usage: llm.Usage{Input: 20, Output: 6}},
		"thinking.sse": {Messages: []string{`thinking The flag is lost. +{"signature":"c2lnbmVk"}`, "text Fixed."}, Reason: llm.Stop,
			Usage: llm.Usage{Input: 46, Cached: 12, CacheWrite: 4, Output: 9, Reasoning: 4}},
		"thinking-hidden.sse":   {Messages: []string{`thinking  +{"signature":"aGlkZGVu"}`, `thinking  +{"redacted":"b3BhcXVl"}`, "text Yes."}, Reason: llm.Stop},
		"thinking-unsigned.sse": {Messages: []string{"thinking Hm.", "text Yes."}, Reason: llm.Stop},
		"call.sse": {Messages: []string{"text I read it.", `call toolu_a read {"path":"main.go"}`}, Reason: llm.Calls,
			Usage: llm.Usage{Input: 50, Output: 20}},
		"parallel-calls.sse": {Messages: []string{`call toolu_a read {"path":"config.go"}`, `call toolu_b read {"path":"main.go"}`,
			`call toolu_c list {}`}, Reason: llm.Calls},
		"interleaved-calls.sse": {Messages: []string{`call toolu_a read {"path":"a"}`, `call toolu_b list {"path":"b"}`}, Reason: llm.Calls},
		"call-input.sse": {Messages: []string{`call toolu_a read {"path":"a"}`, `call toolu_b read {"path":"b"}`, `call toolu_c list {}`,
			`call toolu_d list raw ["d"]`}, Reason: llm.Calls},
		"same-id.sse":      {Messages: []string{`call toolu_a read {"path":"a"}`, `call toolu_a_* read {"path":"b"}`}, Reason: llm.Calls},
		"server-tools.sse": {Messages: []string{"text I search.", "text Found it."}, Reason: llm.Stop},
		"unknown.sse":      {Messages: []string{"text All fine."}, Reason: llm.Stop},
		"start-twice.sse":  {Messages: []string{"text All fine."}, Reason: llm.Stop, Usage: llm.Usage{Input: 7, Output: 2}},
		"start-other.sse": {Messages: []string{"text The flag (cut)"}, Kind: llm.ErrProtocol,
			Error: "message_start of msg_2 inside the answer msg_1"},
		"no-start.sse":         {Messages: []string{"text All fine."}, Reason: llm.Stop},
		"done.sse":             {Messages: []string{"text All fine."}, Reason: llm.Stop},
		"no-stop.sse":          {Messages: []string{"text All fine."}, Reason: llm.Stop},
		"only-stop.sse":        {Messages: []string{"text All fine."}, Reason: llm.Unknown},
		"after-stop.sse":       {Messages: []string{"text One"}, Reason: llm.Stop},
		"strange.sse":          {Messages: []string{"text All fine."}, Reason: llm.Unknown},
		"pause.sse":            {Messages: []string{"text I go on."}, Reason: llm.Paused},
		"refusal.sse":          {Messages: []string{"text I cannot"}, Reason: llm.Filtered},
		"empty.sse":            {Reason: llm.Stop, Usage: llm.Usage{Input: 5}},
		"length.sse":           {Messages: []string{"text There are three reasons: first (cut)"}, Reason: llm.Length, Usage: llm.Usage{Input: 20, Output: 5}},
		"length-call.sse":      {Messages: []string{`call toolu_a read {"path":"a"}`, `call toolu_b write {"path":"b"} (cut)`}, Reason: llm.Length},
		"length-thinking.sse":  {Messages: []string{"thinking The flag (cut)"}, Reason: llm.Length},
		"cut.sse":              {Messages: []string{"text The flag is parsed but never (cut)"}, Kind: llm.ErrCut, Error: cut},
		"cut-call.sse":         {Messages: []string{"text I edit it.", `call toolu_a edit raw {"path":"a.go","old":"x (cut)`}, Kind: llm.ErrCut, Error: cut},
		"cut-event.sse":        {Messages: []string{"text Half of (cut)"}, Kind: llm.ErrCut, Error: cut},
		"cut-done.sse":         {Messages: []string{"text Half of (cut)"}, Kind: llm.ErrCut, Error: cut},
		"nothing.sse":          {Kind: llm.ErrProtocol, Error: "empty answer"},
		"only-done.sse":        {Kind: llm.ErrProtocol, Error: "empty answer"},
		"error-first.sse":      {Kind: llm.ErrOverloaded, Error: "Overloaded"},
		"error-bare.sse":       {Kind: llm.ErrRate, Error: "slow down"},
		"error-nameless.sse":   {Kind: llm.ErrOverloaded, Error: "the provider reported an error without details"},
		"error-after-text.sse": {Messages: []string{"text The flag (cut)"}, Kind: llm.ErrOverloaded, Error: "Internal server error"},
		"error-key.sse":        {Kind: llm.ErrKey, Error: "invalid x-api-key"},
		"error-too-long.sse":   {Kind: llm.ErrTooLong, Error: "prompt is too long: 205000 tokens > 200000 maximum"},
		"malformed.sse":        {Messages: []string{"text All fine."}, Reason: llm.Stop},
		"malformed-call.sse": {Messages: []string{`call toolu_a edit {"path":"a","new":"y"} (cut)`}, Kind: llm.ErrCut,
			Error: "a part of the answer could not be read, so its tool calls cannot be trusted"},
		"framing.sse":   {Messages: []string{"text All fine."}, Reason: llm.Stop},
		"odd-types.sse": {Messages: []string{"text All fine."}, Reason: llm.Stop},
		"bad-utf8.sse":  {Messages: []string{"text a\ufffdb"}, Reason: llm.Stop},
		"message.json": {Messages: []string{`thinking Hm. +{"signature":"c2ln"}`, "text I look.", `call toolu_a read {"path":"a"}`}, Reason: llm.Calls,
			Usage: llm.Usage{Input: 11, Output: 5}},
		"error.json": {Kind: llm.ErrOverloaded, Error: "Overloaded"},
		"login.html": {Kind: llm.ErrProtocol, Error: "the server sent an HTML page: Sign in"},
	}
}
