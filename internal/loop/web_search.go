package loop

import (
	"fmt"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/tools"
)

// webSearch is the name of the provider's web search in rules.
const webSearch = "web_search"

// judgeSearch returns the verdict of the rules on the provider's web search. The
// provider searches in the middle of a reply, so it must be approved before the request
// that offers it. No permission mode does that.
func (p *permissions) judgeSearch() policy.Verdict {
	p.mu.Lock()
	defer p.mu.Unlock()
	byRules := policy.Policy{Mode: event.ModeAsk, Rules: p.policy.Rules}
	return byRules.Judge(tools.Call{Tool: webSearch, Effect: tools.Network}, policy.Facts{})
}

// searchAllowed reports whether a rule allows the provider's web search.
func (p *permissions) searchAllowed() bool {
	v := p.judgeSearch()
	return v.ByRule && !v.Ask && !v.Refuse
}

// wantSearch makes the next turn ask for the provider's web search: the configuration
// wants it, or the session had it before it was resumed. Rules decide first.
func (a *Agent) wantSearch() {
	_, has, choice := a.models.searchable()
	switch {
	case choice == searchOn || a.permissions.judgeSearch().Refuse:
	case a.permissions.attended:
		a.models.wantSearch()
	case has:
		a.rec.notify("Web search is off: without a user it needs the flag --allow \"tool: web_search\".")
	}
}

// setWebSearch executes the command with which the user approves the provider's web
// search for this session, or ends that. It says what applies now.
func (a *Agent) setWebSearch(c event.SetWebSearch) {
	name, has, now := a.models.searchable()
	verdict := a.permissions.judgeSearch()
	want := c.On != nil && *c.On
	switch {
	case want && verdict.Refuse:
		a.rec.answer(c.Ref, "Web search stays off: "+verdict.Why+".")
		return
	case want && !a.permissions.attended && !a.permissions.searchAllowed():
		a.rec.answer(c.Ref, "Web search stays off: without a user it needs the flag --allow \"tool: web_search\".")
		return
	case c.On != nil && (has || !want):
		a.models.setSearch(want)
		_, _, now = a.models.searchable()
	}
	switch {
	case !has:
		a.rec.answer(c.Ref, name+" has no web search that agent can use. Connect an MCP server that searches instead: agent help tools")
	case now == searchWanted:
		a.rec.answer(c.Ref, fmt.Sprintf("Web search is off until you approve it: the next prompt asks whether %s may search the web in this session. To approve it now, type /web on.", name))
	case now == searchOn:
		a.rec.answer(c.Ref, fmt.Sprintf("Web search is on in this session: %s may search the web. Its provider sends the search terms to the web and may charge for each search. Turn it off with /web off.", name))
	default:
		a.rec.answer(c.Ref, fmt.Sprintf("Web search is off. To let %s search the web in this session, type /web on.", name))
	}
}
