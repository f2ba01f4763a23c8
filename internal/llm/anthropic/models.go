package anthropic

import (
	"strings"

	"agent/internal/llm"
)

// traits are the properties of a model that requests depend on.
type traits struct {
	thinking thinking
	limit    int  // maximum reply length to request, in tokens
	strict   bool // enforces schemas of tools
}

// thinking is the way to control the reasoning effort of a model.
type thinking int

const (
	adaptive thinking = iota // takes an effort level
	budgeted                 // takes a number of tokens
	never                    // has no thinking
)

// olderModels lists older models by parts of their names, which vendors may
// extend. All later models are adaptive.
func olderModels() []struct {
	names  []string
	traits traits
} {
	return []struct {
		names  []string
		traits traits
	}{
		{[]string{"claude-2", "claude-instant", "claude-3-opus", "claude-3-sonnet", "claude-3-haiku"}, traits{never, 4096, false}},
		{[]string{"claude-3-5-"}, traits{never, 8192, false}},
		{[]string{"claude-3-7-", "claude-sonnet-4-0", "claude-sonnet-4-2025", "claude-sonnet-4@",
			"claude-opus-4-0", "claude-opus-4-2025", "claude-opus-4@", "claude-opus-4-1"}, traits{budgeted, 32_000, false}},
		{[]string{"claude-sonnet-4-5", "claude-haiku-4-5", "claude-opus-4-5"}, traits{budgeted, 32_000, true}},
	}
}

// traitsOf returns the traits of a model. Unknown models of other makers get
// conservative ones.
func traitsOf(name string) traits {
	for _, row := range olderModels() {
		for _, n := range row.names {
			if strings.Contains(name, n) {
				return row.traits
			}
		}
	}
	if strings.Contains(name, "claude") {
		return traits{adaptive, 32_000, true}
	}
	return traits{adaptive, 8192, false}
}

// leastBudget is the smallest thinking budget that the provider accepts, in
// tokens.
const leastBudget = 1024

// think sets the reasoning effort that the request with msgs asks for. A forced tool call
// does not allow thinking.
func think(p *wireRequest, req llm.Request, t traits, msgs []wireMessage) {
	forced := req.ToolChoice.Mode == llm.ChoiceRequired || req.ToolChoice.Mode == llm.ChoiceTool
	switch {
	case req.Effort == "" || t.thinking == never:
	case t.thinking == budgeted:
		budget := min(budgetOf(req.Effort), req.MaxTokens/2)
		if budget >= leastBudget && !forced && !calledWithoutThinking(msgs) {
			p.Thinking = &wireThinking{Budget: budget, Type: "enabled"}
		}
	case req.Effort == "none":
		p.Thinking = &wireThinking{Type: "disabled"}
	default:
		p.output().Effort = effortOf(req.Effort)
		if !forced {
			p.Thinking = &wireThinking{Display: "summarized", Type: "adaptive"}
		}
	}
}

// effortOf returns the provider's word for an effort level.
func effortOf(effort string) string {
	if effort == "minimal" {
		return "low"
	}
	return effort
}

// budgetOf returns the thinking budget of an effort level in tokens, 0 for
// none.
func budgetOf(effort string) int {
	switch effort {
	case "none":
		return 0
	case "minimal":
		return leastBudget
	case "low":
		return 4 << 10
	case "high":
		return 24 << 10
	case "xhigh", "max":
		return 48 << 10
	}
	return 10 << 10
}

// calledWithoutThinking reports whether the last reply called tools without
// thinking first, as replies of other models do. Models with a thinking budget
// reject such a turn.
func calledWithoutThinking(msgs []wireMessage) bool {
	for i := len(msgs) - 1; i >= 0; i-- {
		if msgs[i].Role != roleAssistant {
			continue
		}
		first, last := msgs[i].Content[0], msgs[i].Content[len(msgs[i].Content)-1]
		return last.Type == "tool_use" && !isThinking(first)
	}
	return false
}

func isThinking(b wireBlock) bool {
	return b.Type == "thinking" || b.Type == "redacted_thinking"
}
