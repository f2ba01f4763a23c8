package turn

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// judgeReply returns whether the turn ends with this reply, and the result of its
// calls if they must not run; empty if they may.
func (r *run) judgeReply(ctx context.Context, reply *llm.Reply, err error, said []llm.Message) (end ending, notRun string) {
	calls := len(callsOf(said)) > 0
	if n := len(said); n > 0 {
		r.end.Cut = said[n-1].Kind == llm.Assistant && said[n-1].Cut
	}
	switch {
	case ctx.Err() != nil:
		return ending{reason: event.UserInterrupt}, notRunStopped
	case r.out.err != nil:
		return ending{reason: event.LogError}, notRunUnsaved
	case err != nil && r.end.Cut && !calls && !r.resumed:
		r.resumed, r.note = true, event.GoOn
		r.out.emit(event.Notice{Text: err.Error() + ". Going on where the answer was cut."})
		return ending{}, ""
	case err != nil:
		return failed(err), "not run: the reply was cut before it ended"
	case reply.Exceeded() != "":
		return exceeded(reply, cmp.Or(r.Limits.ReplyBytes, llm.MaxReplyBytes), r.end.Cut)
	}
	switch reply.Finish.Reason {
	case llm.Length:
		return ending{event.OutOfTokens, "the answer hit the model's token limit and is cut", "say \"go on\" to continue"},
			"not run: the reply was cut at the model's token limit"
	case llm.Filtered:
		return ending{event.Filtered, "the provider or the model refused to answer", "say it differently, or choose another model"},
			"not run: the reply was refused by the provider"
	case llm.Stop, llm.Calls:
		switch {
		case calls:
			return ending{}, ""
		case len(said) == 0:
			return ending{event.ProviderError, "the model gave an empty answer twice", "say it differently, or choose another model"}, ""
		}
	default:
		if calls {
			return ending{event.ProviderError, fmt.Sprintf("the answer ended for an unknown reason (%q), so its tool calls were not run", reply.Finish.Raw),
				"say \"go on\" to continue"}, "not run: it is unknown whether the reply was whole"
		}
	}
	return ending{reason: event.Done}, ""
}

// exceeded ends the turn with a reply that was stopped at a limit, of which
// maxBytes is one. Truncated says that it ends in the middle of the answer.
func exceeded(reply *llm.Reply, maxBytes int, truncated bool) (end ending, notRun string) {
	end = ending{reason: event.OutOfTokens, hint: "send a message to continue"}
	if truncated {
		end.hint = "press Enter to continue"
	}
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

// byteCount writes a size: "8 MiB", "1000 bytes".
func byteCount(n int) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// failed ends the turn with the error of a provider.
func failed(err error) ending {
	end := ending{reason: event.ProviderError, err: err.Error()}
	if e, ok := errors.AsType[*llm.Error](err); ok {
		end.hint = e.Hint
		switch {
		case e.Kind == llm.ErrTooLong:
			end.hint = "cut old content with /compact, take something back with /rewind, begin anew with /new, or choose a model with a larger window"
		case e.Hint == "" && e.Retry:
			end.hint = "say \"go on\" to try again"
		}
	}
	return end
}
