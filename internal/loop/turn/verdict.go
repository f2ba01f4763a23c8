package turn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// judgeReply returns how the turn ends with this reply, and why its calls must not
// run. Both are zero if the turn continues.
func (r *run) judgeReply(ctx context.Context, reply *llm.Reply, err error, said []llm.Message) (end ending, notRun string) {
	calls := len(callsOf(said)) > 0
	var repeated *repeatedError
	if n := len(said); n > 0 {
		r.end.Cut = said[n-1].Kind == llm.Assistant && said[n-1].Cut
	}
	switch {
	case ctx.Err() != nil:
		r.end.Unanswered = !timeUp(ctx) && llm.Unanswered(r.conv.Messages)
		return ending{reason: event.UserInterrupt}, notRunStopped(ctx)
	case r.out.err != nil:
		return ending{reason: event.LogError}, notRunUnsaved
	case errors.As(err, &repeated):
		return r.endRepeated(ctx, repeated), notRunRepeated
	case err != nil && r.end.Cut && !calls && !r.resumed && r.limit.reason == "":
		r.resumed, r.input.note = true, event.ContinuePrompt
		r.out.emit(event.Notice{Text: err.Error() + ". Continuing where it was cut off."})
		return ending{}, ""
	case err != nil && calls && retryable(err) && !r.resumed:
		r.resumed, r.input.note = true, callAgain
		r.out.emit(event.Notice{Text: err.Error() + ". No tool call of this reply was run. Asking the model to repeat it."})
		return ending{}, notRunCut
	case err != nil:
		return failed(err, len(said) > 0, r.end.Cut), notRunCut
	}
	r.resumed = false
	switch {
	case reply.Exceeded() != "":
		return exceeded(reply, cmp.Or(r.turn.Limits.ReplyBytes, llm.MaxReplyBytes), r.end.Cut)
	}
	switch reply.Finish.Reason {
	case llm.Length:
		return ending{event.OutOfTokens, "the answer reached the model's token limit and was truncated", continueHint(r.end.Cut)},
			"not run: the reply was truncated at the model's token limit"
	case llm.Filtered:
		return ending{event.Filtered, "the provider or the model refused to answer", "Rephrase the prompt, or choose another model with /model."},
			"not run: the reply was refused by the provider"
	case llm.Paused:
		if !calls && !searches(said) { // a search goes on where it was paused
			r.input.note = pausedNote
		}
		return ending{}, ""
	case llm.Stop, llm.Calls:
		if calls {
			return ending{}, ""
		}
	default:
		switch {
		case calls && complete(said): // some providers give no reason for the end of a reply with calls
			return ending{}, ""
		case calls:
			return ending{event.ProviderError, fmt.Sprintf("the answer ended for an unknown reason (%q), so its tool calls were not run", reply.Finish.Raw),
				continueHint(false)}, "not run: the reply may be incomplete"
		}
	}
	if !answers(said) {
		return ending{event.ProviderError, "the model gave an empty answer twice", "Rephrase the prompt, or choose another model with /model."}, ""
	}
	return ending{reason: event.Done}, ""
}

const (
	// callAgain is the note to the model after a reply with calls was cut off.
	callAgain = "[The connection was lost in the middle of your reply. None of its tool calls was run. Make them again.]"
	// pausedNote is the note to the model after a reply that it paused.
	pausedNote = "[Continue.]"
	notRunCut  = "not run: the reply was cut off"
	// notRunRepeated is the result of calls in a reply that repeated itself.
	notRunRepeated = "not run: the reply repeated the same text and was stopped"
)

// searches reports whether the provider searched the web in a reply.
func searches(said []llm.Message) bool {
	return slices.ContainsFunc(said, func(m llm.Message) bool { return m.Kind == llm.WebSearch })
}

// endRepeated returns how the turn ends after a reply that repeated itself, as the
// repeatedError err says. If it continues, the model is asked to continue the answer.
func (r *run) endRepeated(ctx context.Context, err *repeatedError) ending {
	end := r.orLastReply(r.guards.noProgress(ctx, event.Repeating, "the model repeated the same text in its reply", err.text))
	if end.reason == "" && r.limit.reason == "" {
		r.input.note = r.conv.continuation()
	}
	return end
}

// complete reports whether the arguments of all calls in said are complete objects.
func complete(said []llm.Message) bool {
	return !slices.ContainsFunc(callsOf(said), func(m llm.Message) bool { return m.Cut || m.Raw != "" })
}

// retryable reports whether a request that failed with err may succeed later.
func retryable(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	return ok && e.Retry
}

// exceeded ends the turn after a reply that reached a limit. MaxBytes is its limit
// in bytes. Truncated is set if the reply stopped within the answer.
func exceeded(reply *llm.Reply, maxBytes int, truncated bool) (end ending, notRun string) {
	end = ending{reason: event.OutOfTokens, hint: continueHint(truncated)}
	switch reply.Exceeded() {
	case llm.LimitCalls:
		end.err = fmt.Sprintf("the reply was stopped after %d tool calls, which were not run", llm.MaxReplyCalls)
		return end, fmt.Sprintf("not run: the reply was stopped after %d tool calls. Make at most %d calls in one reply", llm.MaxReplyCalls, maxCalls)
	case llm.LimitMessages:
		end.err = fmt.Sprintf("the reply was stopped after %d messages. The text received is kept", llm.MaxReplyMessages)
		return end, fmt.Sprintf("not run: the reply was stopped after %d messages", llm.MaxReplyMessages)
	}
	size := byteCount(maxBytes)
	end.err = "the reply reached the limit of " + size + " (max_reply_bytes) and was stopped. The text received is kept"
	return end, "not run: the reply was stopped at its limit of " + size + ". Write less in one reply: divide large files among several calls"
}

// byteCount formats a size: "8 MiB", "1000 bytes".
func byteCount(n int) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// continueHint says how the user continues a turn. Truncated is set if it ended
// within the answer.
func continueHint(truncated bool) string {
	if truncated {
		return event.HintContinue
	}
	return "Send a message to continue."
}

// failed ends the turn with the error of a provider. Received is set if part of a
// reply was received, truncated if that part ends within the answer.
func failed(err error, received, truncated bool) ending {
	end := ending{reason: event.ProviderError, err: err.Error()}
	if e, ok := errors.AsType[*llm.Error](err); ok {
		end.hint = e.Hint
		if received && e.Kind == llm.ErrCut {
			end.hint = joinHints(end.hint, "The text received is kept.")
		}
		switch {
		case e.Kind == llm.ErrTooLong:
			end.hint = event.HintTooLong
		case truncated:
			end.hint = joinHints(end.hint, continueHint(true))
		case e.Retry:
			end.hint = joinHints(end.hint, event.HintRetry)
		}
	}
	return end
}

// joinHints returns the sentence next, after hint if there is one.
func joinHints(hint, next string) string {
	if hint == "" {
		return next
	}
	return strings.TrimRight(hint, ".") + ". " + next
}
