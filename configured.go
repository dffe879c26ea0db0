package rondo

import (
	"cmp"
	"math"
	"os"
	"time"

	"github.com/rondo-agent/rondo/compaction"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/tools/bash"
)

// configured returns what the configuration says of a session.
func configured(cfg *config.Config) *session.Options {
	set := cfg.Settings
	return &session.Options{
		Bash:            &bash.Options{Shell: set.ShellPath, CommandPrefix: set.ShellCommandPrefix},
		SteeringMode:    set.SteeringMode,
		FollowUpMode:    set.FollowUpMode,
		PlainTools:      set.ToolChanges == config.ToolChangesOff,
		KeepImageSize:   !set.Images.AutoResize,
		Retry:           retryOptions(cfg),
		Compaction:      compactionOptions(cfg),
		BranchSummaries: session.BranchSummaries{ReserveTokens: max(set.BranchSummary.ReserveTokens, 1)},
		Request:         requestOptions(cfg),
		DefaultThinking: cfg.DefaultThinking,
		LevelFor:        cfg.PreferredThinking,
	}
}

func requestOptions(cfg *config.Config) ai.Options {
	r := cfg.Settings.Retry.Provider
	return ai.Options{
		ThinkingBudgets: cfg.Settings.ThinkingBudgets,
		IdleTimeout:     milliseconds(cfg.Settings.HTTPIdleTimeoutMs, -1),
		Timeout:         milliseconds(r.TimeoutMs, 0),
		MaxRetries:      r.MaxRetries, MaxRetryDelay: milliseconds(r.MaxRetryDelayMs, math.MaxInt64),
		CacheRetention: cmp.Or(os.Getenv("RONDO_CACHE_RETENTION"), os.Getenv("PI_CACHE_RETENTION")),
	}
}

func retryOptions(cfg *config.Config) session.Retry {
	r := cfg.Settings.Retry
	o := session.Retry{
		Disabled: !r.Enabled, MaxRetries: r.MaxRetries,
		BaseDelay: milliseconds(r.BaseDelayMs, -1), MaxServerDelay: milliseconds(r.Provider.MaxRetryDelayMs, -1),
	}
	if r.MaxRetries == 0 {
		o.MaxRetries = -1
	}
	return o
}

func compactionOptions(cfg *config.Config) compaction.Settings {
	c := cfg.Settings.Compaction
	return compaction.Settings{Disabled: !c.Enabled, ReserveTokens: max(c.ReserveTokens, 1), KeepRecentTokens: max(c.KeepRecentTokens, 1)}
}

// milliseconds makes a duration of a setting in which 0 stands for no bound.
func milliseconds(n int, unbounded time.Duration) time.Duration {
	if n == 0 {
		return unbounded
	}
	return time.Duration(n) * time.Millisecond
}

// environment is what commands see of the session. The names are Pi 0.85's, so that
// scripts written for it work.
func environment(s *session.Session) []string {
	if s == nil {
		return nil
	}
	env := []string{"PI_CODING_AGENT=true", "PI_SESSION_ID=" + s.ID(), "PI_SESSION_FILE=" + s.Store().Path()}
	st := s.State()
	if st.Model != nil {
		env = append(env, "PI_PROVIDER="+st.Model.Provider, "PI_MODEL="+st.Model.ID)
	}
	return append(env, "PI_REASONING_LEVEL="+string(st.Thinking))
}
