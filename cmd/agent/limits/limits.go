// Package limits reads the limits of turns and sessions, from flags and from the configuration.
package limits

import (
	"maps"
	"strings"

	"github.com/spf13/pflag"

	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
	"agent/internal/loop/event"
)

// Flags are the limits given as flags.
type Flags struct {
	Turn    event.Budget
	Session string // as in event.ParseBudget
}

// limitFlag is a flag that sets a limit of each turn.
type limitFlag struct {
	budget event.Budget
	limit  event.Limit
}

func (f limitFlag) Set(text string) (err error) {
	f.budget[f.limit], err = f.limit.Parse(text)
	return err
}

func (f limitFlag) String() string { return "" }

func (f limitFlag) Type() string { return "limit" }

// Add adds the flags to p.
func (b *Flags) Add(p *pflag.FlagSet) {
	b.Turn = event.Budget{}
	p.Var(limitFlag{b.Turn, event.LimitSteps}, "max-steps", "maximum `number` of steps of a turn before it asks to continue (default 500); agent run stops (no default with another limit); 0: the model answers without tools")
	p.Var(limitFlag{b.Turn, event.LimitTokens}, "token-budget", "maximum `tokens` of a turn, input and output, such as 200k, before it asks to continue; agent run stops")
	p.Var(limitFlag{b.Turn, event.LimitCost}, "max-cost", "maximum cost of a turn in US `dollars` before it asks to continue; agent run stops")
	p.Var(limitFlag{b.Turn, event.LimitTime}, "max-time", "maximum `duration` of a turn, such as 10m, before it asks to continue; agent run stops")
	p.StringVar(&b.Session, "session-budget", "", "`limits` of the session: steps=N,tokens=N,cost=USD,time=DURATION")
}

// Budgets returns the limits of each turn and of the session: those of the flags, else
// those of the configuration.
func (b Flags) Budgets(set settings.Settings) (turn, session event.Budget, err error) {
	turn, session = event.Budget{}, event.Budget{}
	configured := func(to event.Budget, s settings.Budget) error {
		to[event.LimitSteps], to[event.LimitTokens], to[event.LimitCost] = float64(s.Steps), float64(s.Tokens), s.Cost
		if s.Time != "" {
			var err error
			if to[event.LimitTime], err = event.LimitTime.Parse(s.Time); err != nil {
				return command.Usage("configuration: %w", err)
			}
		}
		maps.DeleteFunc(to, func(_ event.Limit, amount float64) bool { return amount == 0 })
		return nil
	}
	if err := configured(turn, settings.Budget{Steps: set.MaxSteps, Tokens: set.TokenBudget, Cost: set.MaxCost, Time: set.MaxTime}); err != nil {
		return nil, nil, err
	}
	if set.SessionBudget != nil {
		if err := configured(session, *set.SessionBudget); err != nil {
			return nil, nil, err
		}
	}
	maps.Copy(turn, b.Turn)
	if strings.TrimSpace(b.Session) != "" {
		flags, err := event.ParseBudget(b.Session)
		if err != nil {
			return nil, nil, command.Usage("--session-budget: %w", err)
		}
		maps.Copy(session, flags)
	}
	maps.DeleteFunc(session, func(l event.Limit, amount float64) bool { return amount < 0 })
	if steps, ok := session[event.LimitSteps]; ok && steps == 0 {
		return nil, nil, command.Usage("--session-budget: steps cannot be 0")
	}
	return turn, session, nil
}
