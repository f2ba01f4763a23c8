package offline

import (
	"regexp"
	"strings"
)

// verb is what a request wants.
type verb string

const (
	unknown  verb = ""
	read     verb = "read"
	list     verb = "list"
	glob     verb = "glob"
	find     verb = "find"
	replace  verb = "replace"
	create   verb = "create"
	store    verb = "write"
	extend   verb = "append"
	remove   verb = "delete"
	run      verb = "run"
	test     verb = "test"
	build    verb = "build"
	overview verb = "overview"
	help     verb = "help"
	hello    verb = "hello"
)

// rule is one way to say a request. The groups of its pattern are named for
// what they hold; see request.fill.
type rule struct {
	verb verb
	// exact matches before the full stop at the end is taken off, for what ends
	// in a command or in content.
	exact   bool
	pattern string
}

// usages are the requests as the person is told of them, with the tool that
// each needs.
func usages() []struct {
	verb        verb
	tool, usage string
} {
	return []struct {
		verb        verb
		tool, usage string
	}{
		{overview, toolList, "what is this project?"},
		{read, toolRead, "read FILE"},
		{read, toolRead, "read FILE lines 10-40"},
		{list, toolList, "list files in DIR"},
		{glob, toolGlob, "find files named *.go"},
		{find, toolSearch, "find WORD in *.go"},
		{replace, toolEdit, "replace A with B in FILE"},
		{create, toolEdit, "create FILE with TEXT"},
		{store, toolWrite, `write "TEXT" to FILE`},
		{extend, toolEdit, "append LINE to FILE"},
		{run, toolShell, "run COMMAND"},
		{test, toolShell, "run the tests"},
	}
}

// The phrases that rules share, written in braces there.
func phrases() *strings.Replacer {
	return strings.NewReplacer(
		"{show}", `(?:read|show|open|cat|view|display|print|look at|see)\s+(?:me\s+)?`,
		"{from}", `(?:\s+(?:in|of|under|below|from)\s+(?:the\s+|this\s+)?(?:director(?:y|ies)\s+|folder\s+)?(?P<dir>\S+?)(?:\s+(?:directory|folder))?)?`,
		"{file}", `(?:the\s+)?(?:file\s+)?(?P<path>\S+)`,
		"{to}", `\s*(?:-|–|\.\.|to|through|until)\s*`,
		"{all}", `(?P<all>(?:all|every|each)\s+)?(?:(?:occurrences?|instances?)\s+of\s+)?(?:the\s+(?:word|text|string)\s+)?`,
		"{ext}", `(?P<ext>\.\w+|go|rs|py|js|ts|md|java|rb|json|ya?ml|toml|txt|sh|html|css)\s+files`,
		"{this}", `(?:this|the|that|my)(?:\s+(?:project|repo|repository|code\s?base|code|program|directory|folder|app|thing))?`,
		"{fold}", `(?P<fold>,?\s+(?:ignoring case|ignore case|case[- ]insensitive(?:ly)?))?`,
		"{quoted}", `[\x{E000}-\x{F8FF}]`,
	)
}

// rules are tried from the first on. Quoted text stands in them as one rune.
func rules() []rule {
	return []rule{
		{run, true, `(?:!|\$\s)\s*(?P<command>.+)`},
		{run, true, `(?P<command>(?:ls|cat|grep|find|tree)\s+-.+)`},
		{run, true, `(?P<command>(?:go\s+(?:build|test|vet|run|version|env|list|fmt|generate)|git\s+(?:status|diff|log|show|branch|blame)|(?:cargo|npm)\s+(?:build|test|run|install))(?:\s.*)?)`},
		{help, false, `(?:help(?:\s+me)?|\?|/help|commands|who are you|what are you|how does this work|what can (?:you do|i (?:do|ask|say))(?:\s+here)?)`},
		{hello, false, `(?:hi|hello|hey|good (?:morning|day|evening)|thanks|thank you)(?:\s+(?:there|guide))?`},
		{overview, false, `(?:what is|what's|what does|explain|describe|outline|summari[sz]e|tell me about)\s+{this}(?:\s+(?:do|does|about|here|for))*`},
		{overview, false, `(?:(?:give|show)\s+(?:me\s+)?)?(?:an?\s+)?(?:outline|overview|summary)(?:\s+of\s+{this})?`},
		{overview, false, `how (?:do|can) (?:i|we|you) (?:build|run|test|use|start)\s+(?:it|{this}|(?:all\s+|the\s+)+tests)`},
		{test, false, `tests?|(?:run|execute|start)\s+(?:(?:all|the|my|its)\s+)*(?:unit\s+)?tests?(?:\s+suite)?|test\s+(?:it|this|the (?:project|program|code)|everything)|do (?:the|all) tests pass`},
		{build, false, `(?:build|compile)(?:\s+(?:it|this|everything|the\s+\w+|this\s+\w+))?`},
		{run, true, `(?:run|execute|exec):?\s+(?:the\s+)?(?:(?:shell\s+)?command\s*:?\s+)?(?P<command>.+)`},
		{glob, false, `(?:find|list|show|search(?:\s+for)?|locate|glob)\s+(?:me\s+)?(?:all\s+)?(?:the\s+)?files?\s+(?:named|called|matching|like)\s+(?P<glob>\S+){from}`},
		{glob, false, `(?:find|list|show|locate|glob|ls)\s+(?:me\s+)?(?:all\s+)?(?:the\s+)?(?:{ext}|(?P<glob>\S*[*?]\S*)(?:\s+files?)?){from}`},
		{glob, false, `(?:find|locate|where is)\s+(?:the\s+)?(?:file\s+(?P<glob>\S+)|(?P<filename>\S+)){from}`},
		{list, false, `(?:list|ls|dir|tree)`},
		{list, false, `(?:list|show|ls|dir|tree|print)\s+(?:me\s+)?(?:all\s+)?(?:the\s+|my\s+)?(?:project\s+)?(?:files?|tree|director(?:y|ies)|folders?|contents?|structure|layout)(?:\s+and\s+(?:folders|directories))?{from}`},
		{list, false, `(?:list|ls|dir|tree)\s+(?:the\s+)?(?P<dir>\S+)`},
		{list, false, `(?:what|which)\s+(?:files\s+)?(?:is|are)\s+(?:here|there|in (?:this|the)\s+(?:directory|folder|project))`},
		{replace, false, `(?:replace|substitute)\s+{all}(?P<old>.+?)\s+(?:with|by)\s+(?P<new>.+)\s+in\s+{file}(?P<everywhere>\s+everywhere)?`},
		{replace, false, `(?:change|rename)\s+{all}(?P<old>.+?)\s+(?:to|into)\s+(?P<new>.+)\s+in\s+{file}(?P<everywhere>\s+everywhere)?`},
		{replace, false, `in\s+(?:the\s+)?(?:file\s+)?(?P<path>\S+?),?\s+(?:replace|change)\s+{all}(?P<old>.+?)\s+(?:with|by|to)\s+(?P<new>.+)`},
		{create, true, `(?:create|write|make|add)\s+(?:an?\s+)?(?:new\s+)?(?:text\s+)?(?:file\s+)?(?:called\s+|named\s+)?(?P<named>\S+?)(?:\s*:|,?\s+(?:with|containing|that contains))(?:\s+(?:the\s+)?(?:following\s+)?(?:contents?|text|lines?))?:?\s+(?P<content>.+)`},
		{create, false, `(?:create|make|add|touch)\s+(?:an?\s+)?(?:new\s+)?(?:empty\s+)?(?:text\s+)?(?:file\s+)?(?:called\s+|named\s+)?(?P<named>\S+)`},
		{store, false, `(?:write|save|put)\s+(?P<content>{quoted})\s+(?:to|into|in)\s+(?:a\s+|the\s+)?(?:new\s+)?(?:file\s+)?(?P<named>\S+)`},
		{extend, false, `append\s+(?:the\s+|a\s+)?(?:lines?\s+|text\s+)?(?P<content>.+)\s+to\s+(?:the\s+end\s+of\s+)?{file}`},
		{extend, false, `add\s+(?:the\s+|a\s+)?(?:lines?\s+|text\s+)?(?P<content>{quoted})\s+(?:to|at)\s+(?:the\s+end\s+of\s+)?{file}`},
		{extend, false, `add\s+(?:the|a)\s+lines?\s+(?P<content>.+)\s+to\s+(?:the\s+end\s+of\s+)?{file}`},
		{remove, false, `(?:delete|remove|rm|erase)\s+{file}`},
		{read, false, `(?:{show})?(?:the\s+)?lines?\s+(?P<first>\d+)(?:{to}(?P<last>\d+))?\s+(?:of|in|from)\s+{file}`},
		{read, false, `(?:{show})?(?:the\s+)?(?:first|top)\s+(?P<last>\d+)\s+lines\s+(?:of|in|from)\s+{file}`},
		{read, false, `(?:{show}|what is in\s+|what's in\s+|explain\s+|summari[sz]e\s+)(?:the\s+)?(?:files?\s+|contents?\s+of\s+)?(?P<paths>.+?)(?:(?::|,?\s+(?:from\s+)?lines?\s+)(?P<first>\d+)(?:{to}(?P<last>\d+))?)?`},
		{read, false, `what (?:is|does)\s+(?:the\s+)?(?:file\s+)?(?P<named>\S+)(?:\s+(?:do|for|about))?`},
		{find, false, `grep\s+(?P<pattern>\S+)\s+(?P<inside>\S+)`},
		{find, false, `(?:search|look|grep)\s+(?:in\s+)?(?P<where>\S+)\s+for\s+(?P<pattern>.+?){fold}`},
		{find, false, `(?:find|search|grep|look)\s+(?:for\s+)?(?:(?:all|every)\s+)?(?:(?:occurrences|uses|usages|mentions|references)\s+(?:of|to)\s+)?(?:the\s+(?:word|text|string)\s+)?(?P<pattern>.+?)(?:\s+in\s+(?:(?:the|all|this)\s+)*(?:files?\s+|directory\s+|folder\s+)?(?:{ext}|(?P<where>\S+)))?{fold}`},
		{find, false, `where\s+(?:is|are|do we use)\s+(?P<pattern>\S+)(?:\s+(?:defined|declared|used|set|called|mentioned|found))?`},
	}
}

// grammar is the rules made ready to match.
type grammar struct {
	rules []compiled
	lead  *regexp.Regexp // what politeness puts before a request
	tail  *regexp.Regexp // and after it
	stop  *regexp.Regexp // what ends a sentence
	marks *regexp.Regexp // the sign before an item of a list
	joint *regexp.Regexp // what may stand between two requests
	opens *regexp.Regexp // a content that begins on the next line
	shell *regexp.Regexp // what is rather a program than a request, behind a command
}

type compiled struct {
	rule
	re *regexp.Regexp
}

func newGrammar() *grammar {
	g := &grammar{
		lead:  regexp.MustCompile(`(?i)^(?:please|pls|kindly|(?:can|could|would|will) you|i want you to|i'd like you to|let's|now|first|then|next|finally|also|and|just|so|ok|okay|hi|hello|hey)\b[,:]?\s+`),
		tail:  regexp.MustCompile(`(?i)[\s,]+(?:please|pls|for me|thanks|thank you)[.!?]*$`),
		stop:  regexp.MustCompile(`([\pL\pN*)\]\x{E000}-\x{F8FF}])\.$|[!?,;:…]+$`),
		marks: regexp.MustCompile(`^\s*(?:[-*•]|\d{1,3}[.)])\s+`),
		joint: regexp.MustCompile(`(?i)\s*;\s*|,?\s+(?:and\s+)?then\s+|,?\s+and\s+(?:also\s+)?|,\s+`),
		opens: regexp.MustCompile(`(?is)^\W*(?:please\s+)?(?:create|write|make|add)\b.*\b(?:with|containing|contents?|text|lines?):?\s*$`),
		shell: regexp.MustCompile(`^\s*(?:ls|cat|find|grep|tree|dir|test|touch|rm|go|git|npm|cargo|make|build)\b`),
	}
	p := phrases()
	for _, r := range rules() {
		g.rules = append(g.rules, compiled{r, regexp.MustCompile(`(?is)^(?:` + p.Replace(r.pattern) + `)$`)})
	}
	return g
}
