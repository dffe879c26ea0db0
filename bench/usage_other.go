//go:build !linux

package main

import (
	"os/exec"
	"time"
)

func peakMemory(*exec.Cmd) (float64, error) { return 0, errUnsupported }

func memory(int) (resident, proportional float64, err error) { return 0, 0, errUnsupported }

func processorTime(int) (time.Duration, error) { return 0, errUnsupported }

func cpuModel() string { return "" }

func load() float64 { return 0 }
