package main

import (
	"os"
	"testing"
)

func TestPeakMemory_IsThatOfTheProgramAlone(t *testing.T) {
	ballast := make([]byte, 256<<20) // ru_maxrss of a child would count this
	for i := 0; i < len(ballast); i += 4096 {
		ballast[i] = 1
	}
	ws, err := newWorkspace(noModel)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.remove()
	peak, err := peakMemory(fake(t, "good").command(t.Context(), ws, "--version"))
	if err != nil || peak <= 0 || peak > float64(len(ballast))/2 {
		t.Errorf("%.0f bytes, %v", peak, err)
	}
	ballast[0]++
}

func TestProcessorTime_Grows(t *testing.T) {
	before, err := processorTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for i := range 1 << 20 {
		sum += i
	}
	after, err := processorTime(os.Getpid())
	if err != nil || after <= before {
		t.Errorf("%v after %v (%d), %v", after, before, sum, err)
	}
}

func TestMemory(t *testing.T) {
	resident, proportional, err := memory(os.Getpid())
	if err != nil || resident <= 0 || proportional <= 0 || proportional > resident {
		t.Errorf("%v, %v, %v", resident, proportional, err)
	}
	if _, _, err := memory(1 << 30); err == nil {
		t.Error("a process that does not exist has memory")
	}
}

func TestProcField(t *testing.T) {
	const status = "Name:\trondo\nVmHWM:\t    1234 kB\nVmRSS:\t 12 kB\nBad:\tx kB\n"
	for name, want := range map[string]float64{"VmHWM:": 1234 << 10, "VmRSS:": 12 << 10, "Bad:": -1, "Pss:": -1} {
		got, ok := procField([]byte(status), name)
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%s %v, %v", name, got, ok)
		}
	}
}
