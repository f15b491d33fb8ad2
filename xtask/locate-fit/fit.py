"""fit.py: fits the linear models of files and of declarations, judges them on projects that they have not seen, and prints the weights.

Keeps 80 files and 400 declarations of each task by the former weights, for speed. Reads *.feat."""
import pickle,glob,collections,numpy as np
WF=dict(words=1.2,title=1.8,prose=1.9,path=1.4,cov_title=1.3,named=1.6,frame=.3,best=1.8,best3=1.6,holder=.8)
WG=dict(words=1.8,title=.6,prose=1.2,name=1.2,own_title=.4,cov=2.1,cov_title=1.0,qual=1.0,frame=1.5,len=2.4,value=-2.1)
out=[];lost=lostf=0
for f in sorted(glob.glob('*.feat')):
    for o in pickle.load(open(f,'rb')):
        fs=sum(o['F'][k]*w for k,w in WF.items()); ps=sum(o['G'][k]*w for k,w in WG.items())+.5*(fs-fs.max())[o['pf']]
        kf=np.argsort(-fs)[:80]; 
        # files kept: top 60 by score and those with holder/module/hist
        keepf=np.zeros(len(fs),bool); keepf[kf]=1
        for k in('module','holder','defined','histmax'): keepf[np.argsort(-o['F'][k])[:5]]=1
        kp=np.zeros(len(ps),bool); kp[np.argsort(-ps)[:400]]=1
        for k in('m_tick_r','qual','cls_r','frame','own'): kp[np.argsort(-o['G'][k])[:20]]=1
        kp&=keepf[o['pf']]
        new=np.cumsum(keepf)-1
        lostf+=o['fy'].sum()-o['fy'][keepf].sum(); lost+=(o['ya'].any(0)&~o['ya'][kp].any(0)).sum()
        o['files']=[x for x,k in zip(o['files'],keepf) if k]; o['F']={k:v[keepf] for k,v in o['F'].items()}; o['fy']=o['fy'][keepf]
        o['G']={k:v[kp] for k,v in o['G'].items()}; o['pf']=new[o['pf'][kp]]; o['ya']=o['ya'][kp]
        o['names']=[x for x,k in zip(o['names'],kp) if k];o['spans']=[x for x,k in zip(o['spans'],kp) if k]
        out.append(o)
print(len(out),lostf,lost); data=out
def fit(Xs,Ys,l2=.02,steps=150,lr=.1,nonneg=None):
    # softmax listwise, Adam; batched by padding
    d=Xs[0].shape[1]; w=np.zeros(d); m=np.zeros(d); v=np.zeros(d)
    mx=max(len(x) for x in Xs); n=len(Xs)
    off=np.cumsum([0]+[len(x) for x in Xs]); X=np.vstack(Xs); Y=np.concatenate([y/max(1,y.sum()) for y in Ys]); idx=off[:-1]
    rep=np.repeat(np.arange(n),np.diff(off))
    for s in range(1,steps+1):
        z=X@w; z-=np.maximum.reduceat(z,idx)[rep]; e=np.exp(z); p=e/np.add.reduceat(e,idx)[rep]
        g=X.T@(p-Y)/n+l2*w
        m=.9*m+.1*g; v=.999*v+.001*g*g; w-=lr*(m/(1-.9**s))/(np.sqrt(v/(1-.999**s))+1e-8)
    return w
def topk(order,k): return order[:k]
def evalf(scores):
    c=collections.Counter()
    for o,s in zip(data,scores):
        order=np.argsort(-s,kind='stable'); ok=o['fy'].sum()>=o['ngold']
        for k in(1,3,5,10): c[k]+=ok and all(o['files'][i] in o['goldfiles'] and 1 or 1 for i in[0]) and o['fy'][order[:k]].sum()>=o['ngold']
    return {k:round(100*v/len(data),1) for k,v in c.items()}
def evalp(scores,fscores=None,quiet=False):
    c=collections.Counter(); nf=0
    for o,s in zip(data,scores):
        order=np.argsort(-s,kind='stable')[:40]
        files=list(dict.fromkeys(o['pf'][order].tolist()))
        for k in(1,3,5,10): c['F%d'%k]+=o['fy'][files[:k]].sum()>=o['ngold']
        if o['gf']:
            nf+=1
            for k in(1,5,10): c['f%d'%k]+=bool(o['ya'][order[:k]].any(0).all())
    n=len(data)
    return ' '.join(f"{k} {100*c[k]/(n if k[0]=='F' else nf):.1f}" for k in('F1','F3','F5','F10','f1','f5','f10'))
repos=sorted({o['repo'] for o in data})
def mat(o,which,keys): return np.stack([o[which][k] for k in keys],1).astype(float)
def lopo(which,keys,ys,extra=None,l2=.02,steps=150):
    """leave one project out: scores of each task by the model that has not seen its project; and of the training ones"""
    X=[mat(o,which,keys) if extra is None else np.hstack([mat(o,which,keys),extra[i]]) for i,o in enumerate(data)]
    sc=[None]*len(data); ws={}
    for r in repos+['ALL']:
        tr=[i for i,o in enumerate(data) if o['repo']!=r and ys(o).sum()>0]
        w=fit([X[i] for i in tr],[ys(data[i]).astype(float) for i in tr],l2=l2,steps=steps); ws[r]=w
        for i,o in enumerate(data):
            if o['repo']==r: sc[i]=X[i]@w
    return sc,ws,X
small=[r for r in repos if r not in('django/django','sympy/sympy')]
groups=[['django/django'],['sympy/sympy'],small[::2],small[1::2]]
def cv(X,ys,l2=.01,steps=120):
    sc=[None]*len(data)
    for g in groups:
        tr=[i for i,o in enumerate(data) if o['repo'] not in g and ys[i].sum()>0]
        w=fit([X[i] for i in tr],[ys[i].astype(float) for i in tr],l2=l2,steps=steps,lr=.15)
        for i,o in enumerate(data):
            if o['repo'] in g: sc[i]=X[i]@w
    return sc
def ll(sc,ys):
    t=0;n=0
    for s,y in zip(sc,ys):
        if y.sum()==0: continue
        z=s-s.max(); p=np.exp(z); p/=p.sum(); t+=np.log(p[y].sum()); n+=1
    return t/n
ys=[o['fy'] for o in data]; yg=[o['ya'].any(1) for o in data]
FILES=['title','prose','path','named','frame','best','holder','dir','histmax']
PLACES=['words','name','cov','cov_title','qual','frame','len','value','body','doc','called_m']
X=[mat(o,'F',FILES) for o in data]; sc=cv(X,ys,.005,200)
print('files, held out',round(ll(sc,ys),4),evalf(sc))
tr=[i for i in range(len(data)) if ys[i].sum()>0]
print({k:round(float(v),2) for k,v in zip(FILES,fit([X[i] for i in tr],[ys[i].astype(float) for i in tr],l2=.005,steps=300))})
X=[np.hstack([mat(o,'G',PLACES),(s-s.max())[o['pf']][:,None]]) for o,s in zip(data,sc)]; ps=cv(X,yg,.005,200)
print('places, held out',round(ll(ps,yg),4),evalp(ps))
tr=[i for i in range(len(data)) if yg[i].sum()>0]
print({k:round(float(v),2) for k,v in zip(PLACES+['file'],fit([X[i] for i in tr],[yg[i].astype(float) for i in tr],l2=.005,steps=300))})
