package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/tui/ink"
)

// SearchOptions are the options of `agent sessions search`.
type SearchOptions struct {
	IO    command.IO
	Store func() (*history.Store, error)

	Words  []string
	Regexp bool   // Words are one regular expression
	Dir    string // search the sessions of this directory only
	Limit  int    // maximum number of lines; 0 for no limit
}

// NewCmdSearch returns `agent sessions search`.
func NewCmdSearch(f *command.Factory, runF command.RunFunc[SearchOptions]) *cobra.Command {
	opts := &SearchOptions{IO: f.IO, Store: f.Store}
	cmd := &cobra.Command{
		Use:   "search WORDS...",
		Short: "search the text of all sessions",
		Long: `Search prints the matching lines of prompts, answers, tool calls and tool results,
the most recent session first. All words must occur in one message; case is
ignored. Quote a phrase to match it as a whole. Rewound turns are marked, and the
sessions of delegates name their agent and the session that delegated.

The exit code is 1 if nothing matches.`,
		Example: `  agent sessions search retry "connection reset"
  agent sessions search --regexp 'timeout(ed)? after \d+' --dir .`,
		Args: command.MinArgs(1, "words to search for: agent sessions search WORDS..."),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.Words = args; opts.Limit < 0 {
				return command.Usage("--limit cannot be negative")
			}
			return command.Or(runF, searchRun)(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVar(&opts.Dir, "dir", "", "search only the sessions of this `directory`")
	cmd.Flags().BoolVarP(&opts.Regexp, "regexp", "E", false, "search for a regular expression (RE2 syntax), line by line")
	cmd.Flags().IntVarP(&opts.Limit, "limit", "n", 100, "maximum `number` of lines; 0 for no limit")
	return cmd
}

func searchRun(ctx context.Context, opts *SearchOptions) error {
	p, err := parsePattern(opts.Words, opts.Regexp)
	if err != nil {
		return err
	}
	store, err := opts.Store()
	if err != nil {
		return err
	}
	q := p.query()
	if opts.Dir != "" {
		dir, err := command.Absolute(opts.Dir)
		if err != nil {
			return err
		}
		if q.IDs, err = sessionIDs(store, dir); err != nil {
			return err
		}
	}
	found, printer := false, hitPrinter{out: opts.IO.Out, pattern: p, limit: opts.Limit, width: 200, rewound: rewoundHits{store: store}, delegates: delegateHits{store: store}}
	if width, _, err := term.GetSize(os.Stdout.Fd()); err == nil && width > 0 {
		printer.width = width
	}
	for h, err := range session.Search(ctx, store, q) {
		if err != nil {
			opts.IO.Warn("%v", err)
			continue
		}
		found = true
		if !printer.add(ctx, h) {
			opts.IO.Warn("There are more matches. To print all, add --limit 0.")
			break
		}
	}
	if !found {
		return errors.New("no matches")
	}
	return nil
}

// sessionIDs returns the IDs of the sessions of dir, or of all sessions if dir is
// empty, with those of delegates, the most recently used first.
func sessionIDs(store *history.Store, dir string) ([]string, error) {
	infos, err := store.ListWithDelegates(dir)
	ids := []string{}
	for _, i := range infos {
		ids = append(ids, i.ID)
	}
	return ids, err
}

// pattern matches a record if each of its terms occurs in one of the record's texts.
type pattern struct {
	terms []*regexp.Regexp
	texts []string // for history.Query
}

// parsePattern parses the arguments: words and quoted phrases, or one regular
// expression if expr is set.
func parsePattern(args []string, expr bool) (pattern, error) {
	if expr {
		whole := strings.Join(args, " ")
		text, err := history.RequiredText(whole)
		if err != nil {
			return pattern{}, command.Usage("--regexp: %w", err)
		}
		re, err := regexp.Compile("(?im)" + whole)
		if err != nil {
			return pattern{}, command.Usage("--regexp: %w", err)
		}
		return pattern{[]*regexp.Regexp{re}, []string{text}}, nil
	}
	var p pattern
	for _, arg := range args {
		phrases := []string{arg}
		if strings.Contains(arg, `"`) {
			phrases = splitQuoted(arg)
		}
		for _, phrase := range phrases {
			p.add(phrase)
		}
	}
	if len(p.terms) == 0 {
		return pattern{}, command.Usage("no words to search for")
	}
	return p, nil
}

// splitQuoted splits text at white space outside quotes.
func splitQuoted(text string) []string {
	var out []string
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 1 {
			out = append(out, part)
		} else {
			out = append(out, strings.Fields(part)...)
		}
	}
	return out
}

// add adds a term for a phrase. Its words can be on different lines.
func (p *pattern) add(phrase string) {
	words := strings.Fields(phrase)
	if len(words) == 0 {
		return
	}
	p.texts = append(p.texts, words...)
	var quoted []string
	for _, w := range words {
		quoted = append(quoted, regexp.QuoteMeta(w))
	}
	p.terms = append(p.terms, regexp.MustCompile("(?i)"+strings.Join(quoted, `\s+`)))
}

// query returns the query for the records that p matches.
func (p *pattern) query() history.Query {
	return history.Query{Texts: p.texts, Keep: session.Keep(func(e event.Durable) bool {
		texts, _, _ := textsOf(e)
		return p.in(texts)
	})}
}

// in reports whether every term occurs in one of the texts.
func (p *pattern) in(texts []string) bool {
	return !slices.ContainsFunc(p.terms, func(t *regexp.Regexp) bool { return !slices.ContainsFunc(texts, t.MatchString) })
}

// lines calls yield for each line of text in which a match begins, with the byte
// offsets of the first match, until yield returns false.
func (p *pattern) lines(text string, yield func(line string, from, to int) bool) {
	for at := 0; at <= len(text); {
		first := []int(nil)
		for _, t := range p.terms {
			if m := t.FindStringIndex(text[at:]); m != nil && (first == nil || m[0] < first[0]) {
				first = m
			}
		}
		if first == nil {
			return
		}
		from, to := at+first[0], at+first[1]
		begin := strings.LastIndexByte(text[:from], '\n') + 1
		end := len(text)
		if i := strings.IndexByte(text[to:], '\n'); i >= 0 {
			end = to + i
		}
		if !yield(text[begin:end], from-begin, to-begin) {
			return
		}
		at = end + 1
	}
}

// textsOf returns the searchable texts of an event, who wrote them, and when. texts
// is nil if the event has none.
func textsOf(e event.Durable) (texts []string, who string, at time.Time) {
	switch e := e.(type) {
	case *event.UserSaid:
		switch {
		case e.Situation:
			return nil, "", at
		case e.Auto:
			return []string{e.Text}, "agent", e.Time
		}
		return []string{e.Text}, "you", e.Time
	case *event.MessageDone:
		switch e.Message.Kind {
		case llm.ToolCall:
			return append(jsonStrings(e.Message.Input), e.Message.Raw), "call", e.Time
		case llm.Thinking:
			return []string{e.Message.Text}, "thought", e.Time
		}
		if s := e.Message.Search; s != nil {
			return []string{s.Text()}, "search", e.Time
		}
		return []string{e.Message.Text}, "model", e.Time
	case *event.ToolEnd:
		return []string{e.Result.Text}, "tool", e.Time
	case *event.Decided:
		return append([]string{e.Note}, e.LineComments()...), "you", e.Time
	case *event.PlanSet:
		texts := []string{e.Note}
		if e.Edited { // otherwise the call has the text
			texts = append(texts, e.Text)
		}
		return texts, "you", e.Time
	case *event.Renamed:
		return []string{e.Title}, "title", e.Time
	}
	return nil, "", at
}

// jsonStrings returns all strings in a JSON value, except object keys.
func jsonStrings(value json.RawMessage) []string {
	var v any
	if json.Unmarshal(value, &v) != nil {
		return nil
	}
	var out []string
	var collect func(any)
	collect = func(v any) {
		switch v := v.(type) {
		case string:
			out = append(out, v)
		case []any:
			for _, e := range v {
				collect(e)
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				collect(v[name])
			}
		}
	}
	collect(v)
	return out
}

// hitPrinter prints matching lines.
type hitPrinter struct {
	out     command.Console
	pattern pattern
	width   int
	limit   int // 0 for no limit
	printed int

	rewound   rewoundHits
	delegates delegateHits
}

// linesPerMessage is the maximum number of lines printed of one message.
const linesPerMessage = 3

// add prints the matching lines of h. It reports whether the limit allows more.
func (p *hitPrinter) add(ctx context.Context, h session.Found) bool {
	texts, who, at := textsOf(h.Event)
	if d := p.delegates.header(h.ID); d.Agent != "" {
		if isTask(h.Event) {
			who = "task"
		}
		who += ", " + ink.SanitizeLine(d.Agent+" of "+d.Parent)
	}
	if p.rewound.contains(ctx, h.ID, h.Offset) {
		who += ", rewound"
	}
	lines := 0
	for _, text := range texts {
		p.pattern.lines(text, func(line string, from, to int) bool {
			if lines == linesPerMessage || p.done() {
				return false
			}
			lines++
			p.printed++
			p.printLine(fmt.Sprintf("%s  %-10s  %-7s  ", h.ID, formatTime(at.Local(), time.Now()), who), line, from, to)
			return true
		})
	}
	return !p.done()
}

// isTask reports whether e, an event of a delegate, is its task.
func isTask(e event.Durable) bool {
	said, ok := e.(*event.UserSaid)
	return ok && !said.Steered && !said.Auto
}

func (p *hitPrinter) done() bool { return p.limit > 0 && p.printed >= p.limit }

// printLine prints a line, truncated around the match, which is bold on a terminal.
func (p *hitPrinter) printLine(head, line string, from, to int) {
	room := max(p.width-ansi.StringWidth(head), 20)
	far := 4 * room // bytes around the match that can be visible
	match := ink.Truncate(ink.SanitizeLine(line[from:min(to, from+far)]), room)
	before := ink.SanitizeLine(strings.TrimLeft(line[max(0, from-far):from], " \t"))
	after := ink.SanitizeLine(line[to:min(len(line), to+far)])
	room -= ansi.StringWidth(match)
	left, right := ansi.StringWidth(before), ansi.StringWidth(after)
	if left+right > room {
		keep := min(left, max(room/3, room-right))
		if keep < left {
			before = ansi.TruncateLeft(before, left-keep+1, "…")
		}
		after = ink.Truncate(after, room-keep)
	}
	if p.out.Terminal && os.Getenv("NO_COLOR") == "" {
		match = "\x1b[1m" + match + "\x1b[22m"
	}
	_, _ = io.WriteString(p.out, head+before+match+after+"\n")
}
