package offline

// answer is what the guide says to a prompt without calling a tool. It says the list of
// requests if says is empty.
type answer struct{ pattern, says string }

// connectHow says how to connect a model, everywhere where the guide answers.
const connectHow = "To connect a model, type `/connect`. Outside the program, set an API key such as `ANTHROPIC_API_KEY` or `OPENAI_API_KEY` before you start it, or run `agent login`."

// answers returns what the guide can say. The first match wins, after all requests.
func answers() []answer {
	return []answer{
		{`(?:help|hi|hello|hey|good (?:morning|evening|day)|menu|commands?|start|usage|)(?: there| me)?|what can (?:you|i|we) (?:do|ask|type|say)(?: here)?|how does (?:this|it) work|what (?:now|next)|.*\bwhat (?:commands|requests)\b.*|what do i (?:do|type)(?: now)?`, ""},
		{`.*\b(?:subscriptions?|(?:claude|chatgpt|copilot|gemini|grok)[ -](?:pro|max|plus|team|business)|(?:pro|max|plus) plan)\b.*`, "Agent cannot sign in with a subscription such as Claude Pro or ChatGPT Plus. It needs an API key, which the provider bills by use, or a local server such as Ollama, which is free."},
		{`.*\b(?:who|what) are you\b.*|.*\b(?:which|what) (?:ai |language )?(?:model|llm|ai) (?:are you|is (?:this|it)|am i|do you)\b.*|are you (?:an? )?.*`, intro + " I read and change files, search, and run commands when you say so in the words that `help` lists. " + connectHow},
		{`.*\b(?:undo|revert|roll ?back|restore)\b.*`, "`/undo` shows what the last turn changed, also by commands, and restores it after you agree. `/redo` brings it back."},
		{`.*\b(?:quit|exit|leave|close|bye)\b.*|:q!?`, "To quit, press ctrl+d on an empty prompt, or type `/quit`. The session is saved: `agent --continue` goes on with it."},
		{`.*\b(?:free|cost|costs|price|pay|billing)\b.*`, "This program is free. The provider of a model bills you for its use, and `/cost` shows how much; a local server such as Ollama costs nothing. " + connectHow},
		{`.*\b(?:connect|connected|api ?keys?|key|tokens?|log ?in|sign ?in|auth|authenticate|claude|sonnet|opus|haiku|gpt\S*|chatgpt|openai|anthropic|gemini|google|ollama|llama\S*|lm studio|mistral|deepseek|qwen\S*|grok|openrouter|groq|bedrock|vertex|azure|copilot|codex|providers?|models?|llm|ai)\b.*`, connectHow + " A server on this machine, such as Ollama, is found when the program starts."},
		{`.*\b(?:settings?|config|configuration|configure|themes?|colors?|vim|shortcuts?|keybindings?|keys)\b.*`, "Type `/` to list all commands, such as `/theme`, and `?` on an empty prompt for the keys. `agent config` shows the settings and where their file is."},
		{`.*\b(?:permissions?|approve|sandbox|safe|secure|privacy|private|telemetry|offline)\b.*`, "I work without a network, and the program sends nothing to anybody but the provider that you connect. Every change is asked about; shift+tab changes that. `agent help permissions` and `agent help sandbox` say it exactly."},
		{`(?:thanks?|thank you|ok|okay|cool|great|nice|good|perfect|yes|no|y|n|sure|stop|cancel|nothing|never ?mind|continue|go on)(?: you| very much)?`, "There is nothing left to do. `help` lists what I understand."},
	}
}
