package ai

import "context"

// PriceBy returns ask with its answers priced by the model that gave them, where that is
// another one than was asked (a router, a fallback of the service) and find knows it. What a
// provider says that an answer costs is kept, and so is the factor of a service tier.
func PriceBy(ask StreamFunc, find func(provider, id string) *Model) StreamFunc {
	return func(ctx context.Context, req *Request) *Stream {
		inner := ask(ctx, req)
		var final *AssistantMessage
		events := func(yield func(StreamEvent, error) bool) {
			for ev, err := range inner.Events() {
				switch end := ev.(type) {
				case *Done:
					if final = reprice(req.Model, end.Message, find); final != nil {
						ev = &Done{Message: final}
					}
				case *Error:
					if final = reprice(req.Model, end.Message, find); final != nil {
						ev = &Error{Message: final}
					}
				default:
				}
				if !yield(ev, err) {
					return
				}
			}
		}
		return StreamOf(events, func() *AssistantMessage {
			if final != nil {
				return final
			}
			return inner.Result()
		})
	}
}

// reprice returns a copy with another price; nil if the price stays.
func reprice(asked *Model, m *AssistantMessage, find func(provider, id string) *Model) *AssistantMessage {
	if m.ResponseModel == "" || m.Usage.Cost.Reported {
		return nil
	}
	gave := find(m.Provider, m.ResponseModel)
	if gave == nil {
		return nil
	}
	factor := 1.0
	if plain := asked.Cost.Of(m.Usage).Total; plain > 0 {
		factor = m.Usage.Cost.Total / plain
	}
	price := gave.Cost.Of(m.Usage)
	out := *m
	out.Usage.Cost = Cost{
		Input: price.Input * factor, Output: price.Output * factor, CacheRead: price.CacheRead * factor,
		CacheWrite: price.CacheWrite * factor, Total: price.Total * factor,
	}
	return &out
}
